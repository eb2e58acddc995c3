"""One step of all cells: the obvious code."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.gates import on_words
from grapheme.kernels.neighbourhood import OFFSETS, neighbourhoods
from grapheme.kernels.netlist import Netlist


def step(netlist: Netlist, coefficients: Floats, grids: Floats, boundary: Boundary, fire: Bits | None) -> Floats:
    """Return the grids after one soft step."""
    nodes = _evaluate(netlist, coefficients, neighbourhoods(grids, boundary))
    new = np.stack([nodes[out] for out in netlist.outputs], axis=1)
    return new if fire is None else np.where(fire[:, None], new, grids)


def step_grad(
    netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary, fire: Bits | None
) -> tuple[Floats, Floats]:
    """Pull ``grad`` back through one step, one sample after another; a part is a sample."""
    results = [
        _sample_grad(
            netlist,
            coefficients,
            grids[s : s + 1],
            grad[s : s + 1],
            boundary,
            None if fire is None else fire[s : s + 1],
        )
        for s in range(len(grids))
    ]
    return np.concatenate([r[0] for r in results]), np.stack([r[1] for r in results])


def hard_step(netlist: Netlist, codes: np.ndarray, bits: Bits, boundary: Boundary, fire: Bits | None) -> Bits:
    """Return the grids of bits after one step, each gate a polynomial over bits."""
    nodes = list(neighbourhoods(bits, boundary))
    for a, b, param in zip(netlist.a, netlist.b, netlist.param, strict=True):
        nodes.append(on_words(codes[param], nodes[a], nodes[b]))
    new = np.stack([nodes[out] for out in netlist.outputs], axis=1)
    return new if fire is None else np.where(fire[:, None], new, bits)


def _evaluate(netlist: Netlist, coefficients: Floats, inputs: Floats) -> list[Floats]:
    """Return the value ``(batch, height, width)`` of every node."""
    nodes = list(inputs)
    for a, b, param in zip(netlist.a, netlist.b, netlist.param, strict=True):
        c0, c1, c2, c3 = coefficients[param]
        nodes.append(c0 + c1 * nodes[a] + c2 * nodes[b] + c3 * nodes[a] * nodes[b])
    return nodes


def _sample_grad(
    netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary, fire: Bits | None
) -> tuple[Floats, Floats]:
    """Return the gradient of ``grids`` and of the coefficients ``(parameters, 4)``."""
    nodes = _evaluate(netlist, coefficients, neighbourhoods(grids, boundary))
    fired = grad if fire is None else grad * fire[:, None]
    grads = [np.zeros_like(grids[:, 0]) for _ in nodes]
    for channel, out in enumerate(netlist.outputs):
        grads[out] += fired[:, channel]
    total = np.zeros_like(coefficients)
    for gate in reversed(range(netlist.gates)):
        a, b, param = netlist.a[gate], netlist.b[gate], netlist.param[gate]
        _, c1, c2, c3 = coefficients[param]
        above = grads[netlist.inputs + gate]
        total[param] += [
            above.sum(),
            (above * nodes[a]).sum(),
            (above * nodes[b]).sum(),
            (above * nodes[a] * nodes[b]).sum(),
        ]
        grads[a] += above * (c1 + c3 * nodes[b])
        grads[b] += above * (c2 + c3 * nodes[a])
    below = _scatter(np.stack(grads[: netlist.inputs]), boundary)
    return below + (grad - fired), total


def _scatter(inputs: Floats, boundary: Boundary) -> Floats:
    """Add the gradients ``(9 * channel, batch, height, width)`` of the inputs up where their values came from."""
    channels = len(inputs) // 9
    total = np.zeros_like(inputs[:channels].swapaxes(0, 1))
    for p, (dy, dx) in enumerate(OFFSETS):
        moved = np.roll(inputs[p * channels : (p + 1) * channels], (dy, dx), axis=(2, 3)).swapaxes(0, 1).copy()
        if boundary == "zero":
            _clear(moved, dy, axis=2)
            _clear(moved, dx, axis=3)
        total += moved
    return total


def _clear(grids: Floats, offset: int, axis: int) -> None:
    """Zero the edge that a roll by ``offset`` filled from the other side."""
    edge = [slice(None)] * 4
    edge[axis] = slice(0, 1) if offset == 1 else slice(-1, None)
    if offset:
        grids[tuple(edge)] = 0
