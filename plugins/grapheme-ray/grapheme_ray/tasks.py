"""What a worker does: functions of the inner backend and of something that is kept, one for each kernel.

They take arrays of the host and return such arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.ca.objective import bytes_per_sample
from grapheme.kernels.cell import Boundary
from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial


def echo(backend: Backend, nothing: None, thing: Any) -> Any:
    """Return what came: for waiting until a worker is there, and for measuring how long that takes."""
    return thing


def step(
    backend: Backend, netlist: Netlist, coefficients: Floats, grids: Floats, boundary: Boundary, fire: Bits | None
) -> Floats:
    """Return some grids after one soft step."""
    coefficients, grids, fire = _placed(backend, coefficients, grids, fire)
    return backend.to_numpy(backend.cell.step(netlist, coefficients, grids, boundary, fire))


def step_grad(
    backend: Backend, netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the gradient of some grids, and the partial sums that they make."""
    coefficients, grids, grad, fire = _placed(backend, coefficients, grids, grad, fire)
    below, parts = backend.cell.step_grad(netlist, coefficients, grids, grad, boundary, fire)
    return backend.to_numpy(below), backend.to_numpy(parts)


def hard_step(
    backend: Backend, netlist: Netlist, codes: np.ndarray, bits: Bits, boundary: Boundary, fire: Bits | None
) -> Bits:
    """Return some grids of bits after one step."""
    codes, bits, fire = _placed(backend, codes, bits, fire)
    return backend.to_numpy(backend.cell.hard_step(netlist, codes, bits, boundary, fire))


def rollout(
    backend: Backend, netlist: Netlist, coefficients: Floats, grids: Floats, steps: int, boundary: Boundary,
    fire: Bits | None,
) -> Floats:  # fmt: skip
    """Return the states of some grids."""
    coefficients, grids, fire = _placed(backend, coefficients, grids, fire)
    return backend.to_numpy(backend.batch.rollout(netlist, coefficients, grids, steps, boundary, fire))


def rollout_grad(
    backend: Backend, netlist: Netlist, coefficients: Floats, states: Floats, grad_states: Floats, boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the gradient of the start of some states, and the partial sums that they make."""
    coefficients, states, grad_states, fire = _placed(backend, coefficients, states, grad_states, fire)
    grad, parts = backend.batch.rollout_grad(netlist, coefficients, states, grad_states, boundary, fire)
    return backend.to_numpy(grad), backend.to_numpy(parts)


def hard_rollout(
    backend: Backend, netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary,
    fire: Bits | None,
) -> Bits:  # fmt: skip
    """Return some grids of bits after all steps."""
    codes, bits, fire = _placed(backend, codes, bits, fire)
    return backend.to_numpy(backend.batch.hard_rollout(netlist, codes, bits, steps, boundary, fire))


def granularity(backend: Backend, nothing: None, height: int, width: int) -> int:
    """Return after how many samples a batch may be cut."""
    return backend.batch.granularity(height, width)


def loss_and_grad(
    backend: Backend, netlist: Netlist, merge: str, coefficients: Floats, grids: Floats, target: Floats,
    counted: Floats, steps: int, boundary: Boundary, fire: Bits | None,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """Return last state, loss and partial sums of some samples, worked on in as many micro-batches as memory asks."""
    samples, _, height, width = grids.shape
    size = backend.parallelism.chunk(
        samples, bytes_per_sample(netlist, grids, steps), backend.batch.granularity(height, width)
    )
    finals, losses, parts = [], [], []
    for begin in range(0, samples, size):
        some = slice(begin, begin + size)
        gates, start, wanted, weights, mask = _placed(
            backend, coefficients, grids[some], target[some], counted, None if fire is None else fire[:, some]
        )
        final, loss, sums = backend.batch.loss_and_grad(netlist, gates, start, wanted, weights, steps, boundary, mask)
        finals.append(backend.to_numpy(final))
        losses.append(backend.to_numpy(loss))
        parts.append(backend.to_numpy(sums))
    total = np.concatenate(parts)
    return np.concatenate(finals), np.concatenate(losses), total if merge == "exact" else _added(total)


def hard_errors(backend: Backend, trial: Trial, circuits: Circuits, most: np.ndarray) -> np.ndarray:
    """Return how many values each of some circuits gets wrong in a trial; both stay on the host."""
    own = circuits.take(np.arange(len(circuits)))  # a copy, for the reason that ``_placed`` has
    return backend.to_numpy(backend.batch.hard_errors(own, trial, *_placed(backend, most)))


def edit_bounds(backend: Backend, graphs: EditProblem, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bounds and mappings of some pairs of the graphs."""
    lower, upper, mapping = backend.graph.edit_bounds(_problem(backend, graphs, pairs))
    return backend.to_numpy(lower), backend.to_numpy(upper), backend.to_numpy(mapping)


def edit_search(
    backend: Backend, graphs: EditProblem, pairs: np.ndarray, search: EditSearch, budget: int
) -> EditSearch:
    """Return how far the search of some subtrees has come; they belong to ``pairs``."""
    placed = EditSearch(*_placed(backend, *vars(search).values()))
    found = backend.graph.edit_search(_problem(backend, graphs, pairs), placed, budget)
    return EditSearch(*map(backend.to_numpy, vars(found).values()))


def _problem(backend: Backend, graphs: EditProblem, pairs: np.ndarray) -> EditProblem:
    tables = (graphs.nodes, graphs.edges, graphs.node_costs, graphs.edge_costs, pairs)
    return EditProblem(*_placed(backend, *tables))


def _added(parts: np.ndarray) -> np.ndarray:
    """Return the partial sums (parts, parameters, 4) as one, added in their order from 0, as the core does."""
    total = np.zeros_like(parts[0])
    for part in parts:
        total = total + part
    return np.asarray(total)[None]


def _placed(backend: Backend, *arrays: np.ndarray | None) -> tuple[Array, ...]:
    """Return arrays as the backend's own, copied: what Ray hands over cannot be written to.

    Kernels do not write to their arguments, but one compiled for arrays of one kind would be compiled again.
    """
    return tuple(None if array is None else backend.asarray(array.copy(order="C")) for array in arrays)
