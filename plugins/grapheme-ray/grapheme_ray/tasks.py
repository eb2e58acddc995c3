"""What a worker does: functions of the inner backend and of something that is kept, called by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme.backend import Backend
from grapheme.ca.objective import bytes_per_sample
from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme.kernels.netlist import Netlist


def echo(backend: Backend, nothing: None, thing: Any = None) -> Any:
    """Return what came: for waiting until a worker is there, and for measuring how long that takes."""
    return thing


def granularity(backend: Backend, nothing: None, height: int, width: int) -> int:
    """Return after how many samples a batch may be cut."""
    return int(backend.batch.granularity(height, width))


def kernel(backend: Backend, netlist: Netlist, name: str, *arguments: Any) -> Any:
    """Return what a kernel makes of a netlist and arrays of the host."""
    return _on_host(backend, backend.kernel(name)(netlist, *_placed(backend, arguments)))


def loss_and_grad(
    backend: Backend, netlist: Netlist, merge: str, coefficients: Any, grids: Any, target: Any, counted: Any,
    steps: int, boundary: Any, fire: Any,
) -> Any:  # fmt: skip
    """Return last state, loss and partial sums of some samples, worked on in as many micro-batches as memory asks."""
    samples, _, height, width = grids.shape
    size = backend.parallelism.chunk(
        samples, bytes_per_sample(netlist, grids, steps), granularity(backend, None, height, width)
    )
    finals, losses, parts = [], [], []
    for begin in range(0, samples, size):
        some = slice(begin, begin + size)
        mask = None if fire is None else fire[:, some]
        final, loss, sums = kernel(
            backend, netlist, "batch.loss_and_grad",
            coefficients, grids[some], target[some], counted, steps, boundary, mask,
        )  # fmt: skip
        finals.append(final)
        losses.append(loss)
        parts.append(sums)
    sums = np.concatenate(parts)
    return np.concatenate(finals), np.concatenate(losses), sums if merge == "exact" else _added(sums)


def edit_bounds(backend: Backend, graphs: EditProblem, pairs: np.ndarray) -> Any:
    """Return the bounds and mappings of some pairs of the graphs."""
    return _on_host(backend, backend.graph.edit_bounds(_problem(backend, graphs, pairs)))


def edit_search(backend: Backend, graphs: EditProblem, pairs: np.ndarray, search: EditSearch, budget: int) -> Any:
    """Return how far the search of some subtrees has come; they belong to ``pairs``."""
    placed = EditSearch(*_placed(backend, tuple(vars(search).values())))
    found = backend.graph.edit_search(_problem(backend, graphs, pairs), placed, budget)
    return EditSearch(*_on_host(backend, tuple(vars(found).values())))


def _problem(backend: Backend, graphs: EditProblem, pairs: np.ndarray) -> EditProblem:
    tables = (graphs.nodes, graphs.edges, graphs.node_costs, graphs.edge_costs, pairs)
    return EditProblem(*_placed(backend, tables))


def _added(parts: np.ndarray) -> np.ndarray:
    """Return the partial sums (parts, parameters, 4) as one, added in their order from 0, as the core does."""
    total = np.zeros_like(parts[0])
    for part in parts:
        total = total + part
    return np.asarray(total)[None]


def _placed(backend: Backend, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments as the backend's own arrays, copied: what Ray hands over cannot be written to.

    Kernels do not write to their arguments, but one compiled for arrays of one kind would be compiled again.
    """
    return tuple(backend.asarray(a.copy(order="C")) if isinstance(a, np.ndarray) else a for a in arguments)


def _on_host(backend: Backend, result: Any) -> Any:
    return tuple(map(backend.to_numpy, result)) if isinstance(result, tuple) else backend.to_numpy(result)
