"""Finds brains by name: those that ship and those that plugins bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self, final

from grapheme.cortex.brain import Brain
from grapheme.errors import InvalidInputError, nearest
from grapheme.plugins.registry import Registry

BRAINS = Registry("grapheme_brains", lambda: Brain, "brain", lambda brain: brain.name)


@final
class BrainRegistry:
    """Brains by name, in the order in which they came: those of a program, which may be other than the plugins'."""

    def __init__(self, brains: Iterable[Brain] = ()) -> None:
        self._brains: dict[str, Brain] = {}
        for brain in brains:
            self.register(brain)

    @classmethod
    def from_plugins(cls) -> Self:
        """Return the brains of all plugins; two of one name are an error that names both plugins."""
        return cls(BRAINS.all().values())

    def register(self, brain: Brain) -> None:
        """Add a brain."""
        if brain.name in self._brains:
            raise InvalidInputError(f"There are two brains called '{brain.name}'. Drop one.")
        self._brains[brain.name] = brain

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all brains."""
        return tuple(self._brains)

    def get(self, name: str) -> Brain:
        """Return a brain, or say which there are."""
        if name not in self._brains:
            known = ", ".join(self.names) or "none"
            raise InvalidInputError(f"There is no brain '{name}'; there are {known}.{nearest(name, self.names)}")
        return self._brains[name]

    def choose(self, names: Iterable[str]) -> tuple[Brain, ...]:
        """Return several brains in the order of their names, which does not depend on what else is installed."""
        return tuple(self.get(name) for name in sorted(set(names)))

    def __iter__(self) -> Iterator[Brain]:
        return iter(self._brains.values())

    def __len__(self) -> int:
        return len(self._brains)
