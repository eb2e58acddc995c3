"""Arguments and results of kernels through the doors of a backend: arrays alone, in tuples, lists and records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from types import NoneType
from typing import Any

from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme.kernels.fusion_arrays import FusionArrays
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.parameters import ParameterLayout
from grapheme.kernels.trial import Circuits, Trial

RECORDS = (EditProblem, EditSearch)
"""Records whose fields are arrays."""

ON_HOST = (Netlist, ParameterLayout, GraphArrays, EditArrays, EditTargets, WholeTargets, FusionArrays, Circuits, Trial)
"""Records that stay on the host."""

PLAIN = (bool, int, float, str, NoneType, *ON_HOST)
"""What kernels take and return that is no array."""


def through(door: Callable[[Any], Any], value: Any) -> Any:
    """Return ``value`` with every array in it passed through ``door``."""
    if isinstance(value, (tuple, list)):
        return type(value)(through(door, part) for part in value)
    if isinstance(value, RECORDS):
        return type(value)(*(through(door, getattr(value, field.name)) for field in fields(value)))
    return value if isinstance(value, PLAIN) else door(value)


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield every array in ``value``."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from arrays_in(part)
    elif isinstance(value, RECORDS):
        for field in fields(value):
            yield getattr(value, field.name)
    elif not isinstance(value, PLAIN):
        yield value
