"""The loss of a roll-out with its gradient: a sample at a time, over the circuit unrolled through time.

Nothing is recomputed on the way back: every node of every step is kept on the way forward. Cells are one row, and know
where they are by a table of their neighbours alone.
"""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.timing import section


def loss_and_grad(
    netlist: Netlist,
    coefficients: Floats,
    grids: Floats,
    target: Floats,
    counted: Floats,
    steps: int,
    boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats, Floats]:
    """Return the last state, the loss of each sample and the gradient of the coefficients; a part is a sample."""
    batch, channels, height, width = grids.shape
    near = neighbours(height, width, boundary)
    fired = np.ones((steps, batch, height, width), np.bool_) if fire is None else fire
    final, losses = np.empty_like(grids), np.zeros(batch, grids.dtype)
    parts = np.zeros((batch, *coefficients.shape), coefficients.dtype)
    for s in range(batch):
        firing = fired[:, s].reshape(steps, height * width)
        with section("forward"):
            last, nodes = _forward(netlist, coefficients, grids[s].reshape(channels, -1), near, firing)
        final[s] = last.reshape(channels, height, width)
        grad = np.zeros_like(last)
        for channel in np.flatnonzero(counted):
            gap = last[channel] - target[s, channel].reshape(-1)
            losses[s] += (gap * gap).sum()
            grad[channel] = 2 * gap
        with section("backward"):
            _backward(netlist, coefficients, nodes, near, firing, grad, parts[s])
    return final, losses, parts


def neighbours(height: int, width: int, boundary: Boundary) -> np.ndarray:
    """Return the number (9, cells) of each neighbour of each cell; one outside the grid has the number ``cells``."""
    cells = height * width
    near = np.full((9, cells), cells)
    for y, x in np.ndindex(height, width):
        for p in range(9):
            v, u = y + p // 3 - 1, x + p % 3 - 1
            if boundary == "periodic" or (0 <= v < height and 0 <= u < width):
                near[p, y * width + x] = v % height * width + u % width
    return near


def _forward(
    netlist: Netlist, coefficients: Floats, state: Floats, near: np.ndarray, fired: Bits
) -> tuple[Floats, list[Floats]]:
    """Return the state (channel, cells) after the last step, and the values (nodes, cells) in each step."""
    every, (channels, cells) = [], state.shape
    for firing in fired:
        outside = np.zeros((channels, 1), state.dtype)
        values = np.empty((netlist.nodes, cells), state.dtype)
        values[: netlist.inputs] = np.hstack([state, outside])[:, near].swapaxes(0, 1).reshape(netlist.inputs, cells)
        for gate in range(netlist.gates):
            c0, c1, c2, c3 = coefficients[netlist.param[gate]]
            a, b = values[netlist.a[gate]], values[netlist.b[gate]]
            values[netlist.inputs + gate] = c0 + c1 * a + c2 * b + c3 * a * b
        every.append(values)
        state = np.where(firing, values[netlist.outputs], state)
    return state, every


def _backward(
    netlist: Netlist,
    coefficients: Floats,
    every: list[Floats],
    near: np.ndarray,
    fired: Bits,
    grad: Floats,
    total: Floats,
) -> None:
    """Add to ``total`` (parameters, 4) what follows from ``grad`` (channel, cells), the gradient of the last state."""
    channels, cells = grad.shape
    for values, firing in zip(reversed(every), reversed(fired), strict=True):
        grads = np.zeros_like(values)
        np.add.at(grads, netlist.outputs, np.where(firing, grad, 0))  # several channels may show one node
        for gate in reversed(range(netlist.gates)):
            node, param = netlist.inputs + gate, netlist.param[gate]
            a, b, (_, c1, c2, c3) = netlist.a[gate], netlist.b[gate], coefficients[param]
            total[param, 0] += grads[node].sum()
            total[param, 1] += grads[node] @ values[a]
            total[param, 2] += grads[node] @ values[b]
            total[param, 3] += (grads[node] * values[a]) @ values[b]
            grads[a] += grads[node] * (c1 + c3 * values[b])
            grads[b] += grads[node] * (c2 + c3 * values[a])
        below = np.zeros((channels, cells + 1), grad.dtype)
        for p in range(9):
            # a cell is neighbour p of one cell at most; only the place outside has several, and nobody reads it
            below[:, near[p]] += grads[p * channels : (p + 1) * channels]
        grad = below[:, :cells] + np.where(firing, 0, grad)
