"""Finds plugins by their entry points, guards their import and collects what they bring."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pluggy

from grapheme.plugins import hooks

RESTRICT = "GRAPHEME_LOAD_PLUGINS"
"""Names the plugins to load, separated by commas; without it, all that are installed."""

T = TypeVar("T")

log = logging.getLogger("grapheme")


@dataclass(frozen=True)
class Plugin:
    """One entry point: where it comes from, and why it failed to load, if it did."""

    name: str
    module: str
    distribution: str
    version: str
    error: str | None = None


@dataclass(frozen=True)
class Plugins:
    """The plugins of this process and pluggy's manager that calls them."""

    found: tuple[Plugin, ...]
    manager: pluggy.PluginManager

    def collect(self, hook: str, kind: type[T]) -> Iterator[tuple[str, T]]:
        """Yield (plugin name, item) for all items of a type that the plugins yield from ``hook``.

        A plugin that raises, or yields something else, is reported and left out: one must not break the others.
        """
        for impl in sorted(getattr(self.manager.hook, hook).get_hookimpls(), key=lambda impl: impl.plugin_name):
            items: list[Any] = []
            error = _reason(lambda impl=impl, items=items: items.extend(impl.function()))  # type: ignore[misc]
            if error and error.startswith("TypeError"):  # as where a record was made with the fields of another version
                error += " (perhaps it was written for another version of grapheme; see docs/writing-a-backend.md)"
            wrong = [item for item in items if not isinstance(item, kind)]
            if wrong:
                error = f"it yields {type(wrong[0]).__name__} where {kind.__name__} is asked for"
            if error:
                log.warning("The plugin '%s' failed in %s and is left out: %s", impl.plugin_name, hook, error)
            else:
                yield from ((impl.plugin_name, item) for item in items)

    def call(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every plugin; one that raises is reported, and the others are called all the same."""
        for impl in sorted(getattr(self.manager.hook, hook).get_hookimpls(), key=lambda impl: impl.plugin_name):
            error = _reason(lambda impl=impl: impl.function(**arguments))  # type: ignore[misc]
            if error:
                log.warning("The plugin '%s' failed in %s: %s", impl.plugin_name, hook, error)


@functools.cache
def plugins() -> Plugins:
    """Return the plugins that are installed, loaded once; one that fails is reported and left out."""
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    return Plugins(tuple(_register(manager, entry) for entry in _entry_points()), manager)


def _entry_points() -> Iterable[importlib.metadata.EntryPoint]:
    wanted = os.environ.get(RESTRICT)
    names = None if wanted is None else {name.strip() for name in wanted.split(",")}
    entries = importlib.metadata.entry_points(group=hooks.PROJECT)
    return sorted((e for e in entries if names is None or e.name in names), key=lambda e: (e.name, e.value))


def _register(manager: pluggy.PluginManager, entry: importlib.metadata.EntryPoint) -> Plugin:
    distribution = entry.dist.name if entry.dist else "unknown"
    version = entry.dist.version if entry.dist else "unknown"
    error = _reason(lambda: _load(manager, entry, distribution))
    return Plugin(entry.name, entry.value, distribution, version, error)


def _load(manager: pluggy.PluginManager, entry: importlib.metadata.EntryPoint, distribution: str) -> None:
    if manager.has_plugin(entry.name):
        raise ValueError(
            f"another plugin is already called '{entry.name}'; uninstall one of them ({distribution} is the second)"
        )
    module = entry.load()
    manager.register(module, name=entry.name)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError:
        manager.unregister(module)
        raise


def _reason(attempt: Callable[[], None]) -> str | None:
    """Run ``attempt`` and return what went wrong in one line; a stranger's import may raise anything."""
    try:
        attempt()
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return None
