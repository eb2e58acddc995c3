"""Gradients of one sample or of one cell, for people who study how an automaton learns, or debug it.

The gradient that trains an automaton is a sum over the cells of all samples. Here are its summands: those of
``sample_gradients`` over a batch add up to what ``DiffLogicCA.loss_and_grad`` returns, and those of ``cell_gradients``
over the cells of a sample add up to that sample's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.ca import checks
from grapheme.ca.checks import Problem
from grapheme.ca.hardest import wrong_values
from grapheme.ca.model import DiffLogicCA
from grapheme.errors import InvalidInputError
from grapheme.kernels import gates
from grapheme.kernels.cell import Boundary


@final
@dataclass(frozen=True, eq=False)
class SampleGradients:
    """The losses of one sample, and the gradient of its soft loss."""

    perceive: list[Floats]
    """(kernels, gates, 16) for each perceive layer: the gradient of its logits."""
    update: list[Floats]
    """(gates, 16) for each update layer."""
    grid: Floats
    """(channels, height, width): the gradient of the grid that the roll-out started from."""
    soft_loss: float
    """The sum of squared errors of the soft circuit; that which the gradients are of."""
    hard_loss: float
    """The sum of squared errors of the hard circuit from the same start; it has no gradient."""


@final
@dataclass(frozen=True, eq=False)
class CellGradients:
    """The losses of one cell, and the gradient of its soft loss."""

    perceive: list[Floats]
    """(kernels, gates, 16) for each perceive layer: the gradient of its logits."""
    update: list[Floats]
    """(gates, 16) for each update layer."""
    grid: Floats
    """(channels, height, width): the gradient of the grid that the roll-out started from.

    After n steps it is 0 more than n cells away: no farther does a cell see.
    """
    neighbourhood: Floats
    """(channels, 3, 3): ``grid`` as the cell sees it, itself in the middle; 0 where a zero boundary has no cell.

    A periodic grid of fewer than three rows or columns shows some cells more than once.
    """
    soft_loss: float
    """The sum of squared errors of the soft circuit in this cell; that which the gradients are of."""
    hard_loss: float
    """The sum of squared errors of the hard circuit in this cell; it has no gradient."""


def sample_gradients(
    model: DiffLogicCA,
    x: ArrayLike,
    y: ArrayLike,
    steps: int,
    loss_channels: Sequence[int] | None = None,
    fire: ArrayLike | None = None,
    sample: int = 0,
    backend: Backend | str | None = None,
) -> SampleGradients:
    """Return what one sample of a batch contributes to the gradient.

    Args:
        model: the automaton; it is not changed.
        x: the grids to start from, (batch, channel, height, width).
        y: the grids wanted after the last step, shaped as ``x`` or with just the loss channels.
        steps: how many steps the automaton takes.
        loss_channels: the channels that are compared with ``y``; all, if None.
        fire: which cells update in each step, (steps, batch, height, width); all, if None.
        sample: which sample of the batch, from 0.
        backend: the kernels to run, as everywhere.

    Returns:
        The sample's losses and gradients.

    Raises:
        InvalidInputError: shapes do not match, or the batch has no such sample.

    Example:
        An automaton starts as one whose cells keep what they have. From a grid of zeros all of the 16 ones that are
        wanted are missing, and the soft circuit is nearly as sure of its zeros as the hard one:

        >>> import numpy as np
        >>> from grapheme.ca import DiffLogicCA, sample_gradients
        >>> model = DiffLogicCA.build(1, 2, perceive=[8, 4, 2, 1], update=[2, 1], boundary="zero", dtype="float64")
        >>> x, y = np.zeros((3, 1, 4, 4)), np.ones((3, 1, 4, 4))
        >>> found = sample_gradients(model, x, y, steps=2, sample=1, backend="numpy")
        >>> found.hard_loss, 15 < found.soft_loss < 16
        (16.0, True)
        >>> [layer.shape for layer in found.perceive], [layer.shape for layer in found.update], found.grid.shape
        ([(2, 8, 16), (2, 4, 16), (2, 2, 16), (2, 1, 16)], [(2, 16), (1, 16)], (1, 4, 4))

        The samples are the same, so that each contributes a third of the batch's gradient:

        >>> batch = model.loss_and_grad(x, y, steps=2, backend="numpy")
        >>> bool(np.allclose(3 * found.update[-1], batch.grads["update"][-1]))
        True
    """
    problem = _one_sample(checks.problem(model, x, y, steps, loss_channels, fire), sample)
    every_cell = np.ones(problem.x.shape[2:], np.bool_)
    return _gradients(model, problem, every_cell, resolve(backend))


def cell_gradients(
    model: DiffLogicCA,
    x: ArrayLike,
    y: ArrayLike,
    steps: int,
    loss_channels: Sequence[int] | None = None,
    fire: ArrayLike | None = None,
    sample: int = 0,
    row: int = 0,
    column: int = 0,
    backend: Backend | str | None = None,
) -> CellGradients:
    """Return what one cell, by its error after the last step, contributes to the gradient.

    With one step this is the gradient of one cell's circuit. With more, the cell depends on its neighbours by the
    steps before, and the gradient goes back through all of them.

    Args:
        model: the automaton; it is not changed.
        x: the grids to start from, (batch, channel, height, width).
        y: the grids wanted after the last step, shaped as ``x`` or with just the loss channels.
        steps: how many steps the automaton takes.
        loss_channels: the channels that are compared with ``y``; all, if None.
        fire: which cells update in each step, (steps, batch, height, width); all, if None.
        sample: which sample of the batch, from 0.
        row: the cell's row, from 0.
        column: the cell's column, from 0.
        backend: the kernels to run, as everywhere.

    Returns:
        The cell's losses and gradients.

    Raises:
        InvalidInputError: shapes do not match, or there is no such sample or cell.

    Example:
        Let every gate be OR, so that a cell becomes 1 if it or a neighbour is. From a grid of zeros any neighbour
        could have made the corner the 1 that is wanted; beyond a zero boundary there are none:

        >>> import numpy as np
        >>> from grapheme.ca import DiffLogicCA, cell_gradients
        >>> from grapheme.kernels.gates import OR
        >>> model = DiffLogicCA.build(1, 1, perceive=[8, 4, 2, 1], update=[1], boundary="zero", dtype="float64")
        >>> model = model.with_codes(np.full(16, OR))
        >>> x, y = np.zeros((1, 1, 4, 4)), np.ones((1, 1, 4, 4))
        >>> found = cell_gradients(model, x, y, steps=1, row=0, column=0, backend="numpy")
        >>> found.hard_loss
        1.0
        >>> (found.neighbourhood[0] < 0).astype(int)
        array([[0, 0, 0],
               [0, 1, 1],
               [0, 1, 1]])
    """
    problem = _one_sample(checks.problem(model, x, y, steps, loss_channels, fire), sample)
    height, width = problem.x.shape[2:]
    place = _index("rows", row, height), _index("columns", column, width)
    this_cell = np.zeros((height, width), np.bool_)
    this_cell[place] = True
    found = _gradients(model, problem, this_cell, resolve(backend))
    around = _neighbourhood(found.grid, *place, model.boundary)
    return CellGradients(found.perceive, found.update, found.grid, around, found.soft_loss, found.hard_loss)


def _gradients(model: DiffLogicCA, problem: Problem, cells: Bits, backend: Backend) -> SampleGradients:
    """Return losses and gradients of a batch of one sample, of which only ``cells (height, width)`` count."""
    xp = backend.xp
    x, y, fire = (None if array is None else backend.asarray(array) for array in (problem.x, problem.y, problem.fire))
    compared = problem.counted[:, None, None] & cells

    # forwards: logits -> shares of the operations -> gates -> the states of all steps
    mixture = gates.softmax(model.parameters_on(backend), xp)
    coefficients = gates.coefficients(mixture, xp)
    states = backend.batch.rollout(model.netlist, coefficients, x, problem.steps, model.boundary, fire)

    # the loss is the sum of difference ** 2, so that its gradient by the last state is 2 * difference
    difference = (states[-1, ...] - y) * backend.asarray(compared.astype(problem.x.dtype))
    soft_loss = float(xp.sum(difference * difference))

    # backwards: the same way, from the last state to the first, then from gates to logits
    pull_back = backend.batch.rollout_grad
    grid, parts = pull_back(model.netlist, coefficients, states, 2 * difference[None, ...], model.boundary, fire)
    logits = backend.to_numpy(gates.pull_back(mixture, _sum(parts), xp))

    wrong = wrong_values(model.harden(), problem, backend) * compared
    layers = model.by_layer(logits)
    return SampleGradients(
        layers["perceive"], layers["update"], backend.to_numpy(grid)[0], soft_loss, float((wrong * wrong).sum())
    )


def _sum(parts: Array) -> Array:
    """Add up what a backend returns as the sums of some cells each: (parts, P, 4) -> (P, 4)."""
    total = parts[0, ...]
    for part in range(1, parts.shape[0]):
        total = total + parts[part, ...]
    return total


def _neighbourhood(grid: Floats, row: int, column: int, boundary: Boundary) -> Floats:
    """Return the nine cells (channel, 3, 3) around a cell of a grid (channel, height, width)."""
    padded = np.pad(grid, ((0, 0), (1, 1), (1, 1)), mode="wrap" if boundary == "periodic" else "constant")
    return padded[:, row : row + 3, column : column + 3].copy()


def _one_sample(problem: Problem, sample: int) -> Problem:
    """Return the batch that consists of one sample of another."""
    first = _index("samples", sample, len(problem.x))
    only = slice(first, first + 1)
    fire = None if problem.fire is None else np.ascontiguousarray(problem.fire[:, only])
    return Problem(problem.x[only], problem.y[only], problem.steps, problem.counted, fire)


def _index(what: str, value: int, count: int) -> int:
    """Return ``value`` if it is one of 0 .. count - 1; a negative one would silently count from the end."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < count:
        raise InvalidInputError(f"There are the {what} 0 to {count - 1}; {value!r} is not one of them.")
    return int(value)
