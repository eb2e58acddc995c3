"""A way to write graphs as text and to read them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from grapheme.graph.abstract import AbstractGraph


@final
@dataclass(frozen=True)
class Domain:
    """A way to write graphs as text: ``parse`` refuses what is none, ``render`` refuses a graph that says nothing."""

    name: str
    parse: Callable[[str], AbstractGraph]
    render: Callable[[AbstractGraph], str]
