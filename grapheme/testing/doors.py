"""Arguments and results of kernels through the doors of a backend: arrays alone, in tuples and in records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from types import NoneType
from typing import Any

from grapheme.edits import EditProblem, EditSearch
from grapheme.netlist import Netlist

RECORDS = (EditProblem, EditSearch)
"""Records whose fields are arrays."""

PLAIN = (bool, int, float, str, NoneType, Netlist)
"""What kernels take and return that is no array; a netlist stays on the host."""


def through(door: Callable[[Any], Any], value: Any) -> Any:
    """Return ``value`` with every array in it passed through ``door``."""
    if isinstance(value, tuple):
        return tuple(through(door, part) for part in value)
    if isinstance(value, RECORDS):
        return type(value)(*(through(door, getattr(value, field.name)) for field in fields(value)))
    return value if isinstance(value, PLAIN) else door(value)


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield every array in ``value``."""
    if isinstance(value, tuple):
        for part in value:
            yield from arrays_in(part)
    elif isinstance(value, RECORDS):
        for field in fields(value):
            yield getattr(value, field.name)
    elif not isinstance(value, PLAIN):
        yield value
