"""Checks at the public boundary of the automata: what comes in becomes arrays of one kind, or a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Bits, Floats, Ints
from grapheme.ca.wiring import Wires
from grapheme.errors import InvalidInputError
from grapheme.kernels.cell import BOUNDARIES, Boundary

if TYPE_CHECKING:
    from grapheme.ca.model import DiffLogicCA

DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Problem:
    """A checked batch: start ``x`` and target ``y (batch, channel, height, width)``, and which channels count."""

    x: Floats
    y: Floats
    steps: int
    counted: Bits
    """(channels,): which channels the loss looks at."""
    fire: Bits | None

    @property
    def compared(self) -> int:
        """How many values the loss compares."""
        batch, _, height, width = self.x.shape
        return int(self.counted.sum()) * int(batch * height * width)


def problem(
    model: DiffLogicCA,
    x: ArrayLike,
    y: ArrayLike,
    step_count: int,
    loss_channels: Sequence[int] | None,
    mask: ArrayLike | None,
) -> Problem:
    """Return the checked batch of a training step."""
    start = grids(model.channels, x, model.dtype)
    counted = channels(loss_channels, model.channels)
    return Problem(start, _target(y, start, counted), steps(step_count), counted, fire(mask, step_count, start.shape))


def positive(name: str, value: int) -> int:
    """Return ``value`` if it is 1 or more."""
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise InvalidInputError(f"Give 1 or more {name}; got {value}.")
    return int(value)


def xors(share: float | None) -> float | None:
    """Return the share of XORs that kernels start with, or None."""
    if share is not None and not 0 <= share <= 1:
        raise InvalidInputError(f"The share of XORs that kernels start with goes from 0 to 1; got {share}.")
    return share


def steps(value: int) -> int:
    """Return a number of steps."""
    return positive("steps", value)


def boundary(value: str) -> Boundary:
    """Return a known boundary."""
    for known in BOUNDARIES:
        if value == known:
            return known
    raise InvalidInputError(f"The boundary is 'periodic' or 'zero'; got {value!r}.")


def dtype(value: str) -> np.dtype[Any]:
    """Return float32 or float64."""
    if str(value) not in DTYPES:
        raise InvalidInputError(f"The dtype is float32 or float64; got {value}.")
    return np.dtype(str(value))


def widths(name: str, values: Sequence[int], inputs: int) -> list[int]:
    """Return the widths of layers, without the width of the input if that stands first."""
    result = [positive(f"gates in each {name} layer", value) for value in values]
    result = result[1:] if result[:1] == [inputs] else result
    if not result:
        raise InvalidInputError(f"Give at least one {name} layer.")
    return result


def logits(values: ArrayLike, rows: int) -> Floats:
    """Return finite logits (rows, 16)."""
    table = np.ascontiguousarray(values)
    if table.dtype not in DTYPES:
        table = table.astype(np.float64)
    if table.shape != (rows, 16):
        raise InvalidInputError(f"This circuit needs logits of shape {(rows, 16)}; got {table.shape}.")
    if not np.isfinite(table).all():
        raise InvalidInputError("Some logits are NaN or infinite; a gate needs 16 finite numbers.")
    return table


def layer(given: tuple[ArrayLike, ArrayLike, ArrayLike], dimensions: int) -> tuple[Floats, Wires]:
    """Return the logits and the wires of a layer."""
    table, a, b = np.asarray(given[0]), np.asarray(given[1]), np.asarray(given[2])
    if table.ndim != dimensions or table.shape[-1] != 16:
        shape = "(kernels, gates, 16)" if dimensions == 3 else "(gates, 16)"
        raise InvalidInputError(f"A layer's logits have the shape {shape}; got {table.shape}.")
    return table, (_wire("a", a, table.shape[-2]), _wire("b", b, table.shape[-2]))


def grids(channel_count: int, values: ArrayLike, kind: np.dtype[Any]) -> np.ndarray:
    """Return grids (batch, channel, height, width) of one dtype."""
    array = np.asarray(values)
    if array.ndim != 4:
        raise InvalidInputError(f"Grids have four axes (batch, channel, height, width); got the shape {array.shape}.")
    if array.shape[1] != channel_count:
        raise InvalidInputError(f"The model has {channel_count} channels; the grids have {array.shape[1]}.")
    if 0 in array.shape:
        raise InvalidInputError(f"The batch is empty: its shape is {array.shape}.")
    if kind != np.bool_ and not np.isfinite(array).all():
        raise InvalidInputError("Some cells are NaN or infinite.")
    return np.ascontiguousarray(array, kind)


def channels(chosen: Sequence[int] | None, count: int) -> Bits:
    """Return which channels count (channels,) bool."""
    if chosen is None:
        return np.ones(count, np.bool_)
    if not len(chosen):
        raise InvalidInputError("Name at least one loss channel.")
    for channel in chosen:
        if not 0 <= channel < count:
            raise InvalidInputError(f"The model has channels 0 to {count - 1}; {channel} is not one of them.")
    counted = np.zeros(count, np.bool_)
    counted[list(chosen)] = True
    return counted


def fire(mask: ArrayLike | None, step_count: int, shape: tuple[int, ...]) -> Bits | None:
    """Return the fire mask (steps, batch, height, width) bool, or None."""
    if mask is None:
        return None
    array = np.asarray(mask)
    wanted = (step_count, shape[0], *shape[2:])
    if array.shape != wanted:
        raise InvalidInputError(
            f"The fire mask must have the shape {wanted} (steps, batch, height, width); got {array.shape}."
        )
    return np.ascontiguousarray(array, np.bool_)


def _wire(name: str, values: np.ndarray, width: int) -> Ints:
    if values.shape != (width,) or not np.issubdtype(values.dtype, np.integer) or (width and values.min() < 0):
        raise InvalidInputError(f"A layer of {width} gates needs {width} indices from 0 up as its wires {name}.")
    return np.ascontiguousarray(values, np.int32)


def _target(values: ArrayLike, start: Floats, counted: Bits) -> Floats:
    """Return the target with all channels, those that do not count at 0."""
    array = np.asarray(values)
    batch, every, height, width = start.shape
    if (
        array.ndim != 4
        or array.shape[1] not in (every, int(counted.sum()))
        or array.shape != (batch, array.shape[1], height, width)
    ):
        raise InvalidInputError(
            f"The target must have the shape of the grids, {start.shape}, or just its loss channels; got {array.shape}."
        )
    if not np.isfinite(array).all():
        raise InvalidInputError("Some cells of the target are NaN or infinite.")
    target = np.zeros_like(start)
    target[:, counted] = array[:, counted] if array.shape[1] == every else array
    return target
