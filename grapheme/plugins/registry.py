"""What plugins bring, by name: backends, experiments, models and brains are all found in this one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, final

from grapheme.errors import InvalidInputError, nearest
from grapheme.plugins.discovery import Plugin, plugins

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Registry(Generic[T]):
    """The items that all plugins yield from one hook.

    ``kind`` is the type of an item: anything else that a plugin yields is reported and left out. ``word`` is what an
    item is called in sentences, and ``name`` how one is called by its users.
    """

    hook: str
    kind: Callable[[], type[T]]
    """Returns the type; a function, so that a registry can be declared without importing what it holds."""
    word: str
    name: Callable[[T], str]
    error: type[Exception] = InvalidInputError
    """Raised where two plugins bring one name, and where a name is unknown."""

    def owned(self) -> Iterator[tuple[str, T]]:
        """Yield (name of the plugin, item) in the order of the plugins' names."""
        yield from plugins().collect(self.hook, self.kind())

    def all(self) -> dict[str, T]:
        """Return the items by name; two of one name are an error that names both plugins."""
        owners: dict[str, str] = {}
        found: dict[str, T] = {}
        for plugin, item in self.owned():
            name = self.name(item)
            if name in found:
                raise self.error(
                    f"Two plugins bring {_article(self.word)} called '{name}': '{owners[name]}' and '{plugin}'. "
                    f"Uninstall one of them, or name the plugins to load in GRAPHEME_LOAD_PLUGINS."
                )
            owners[name], found[name] = plugin, item
        return found

    def get(self, name: str) -> T:
        """Return the item called ``name``, or say which there are and which plugins failed to load."""
        known = self.all()
        if name not in known:
            raise self.error(
                f"There is no {self.word} '{name}'; {self._listed(known)}.{nearest(name, known)}{failures()}"
            )
        return known[name]

    def owner(self, name: str) -> Plugin | None:
        """Return the plugin that brings the item called ``name``, if one does."""
        names = {self.name(item): plugin for plugin, item in self.owned()}
        return next((plugin for plugin in plugins().found if plugin.name == names.get(name)), None)

    def _listed(self, known: Mapping[str, T]) -> str:
        return f"there are {', '.join(known) or 'none'}"


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def failures() -> str:
    """Return a sentence for each plugin that failed to load, since it may have brought what is missing."""
    failed = [plugin for plugin in plugins().found if plugin.error]
    return "".join(f" The plugin '{plugin.name}' failed to load: {plugin.error}." for plugin in failed)
