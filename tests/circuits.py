"""Circuits written by hand, and plain automata to compare them with."""

from __future__ import annotations

import numpy as np

from grapheme.ca import HardCircuit
from grapheme.kernels.netlist import Netlist

AND, PASS_A, XOR, OR, NOR, XNOR, NOT_A, TRUE = 1, 3, 6, 7, 8, 9, 12, 15

N, W, CENTRE, E, S = 1, 3, 4, 5, 7
"""Neighbours 0..8, row by row."""


def circuit(channels, boundary, gates, outputs):
    """Return the circuit of gates (code, a, b)."""
    codes, a, b = np.array(gates, np.int64).reshape(-1, 3).T
    netlist = Netlist.build(9 * channels, a, b, np.arange(len(gates)), outputs, len(gates))
    return HardCircuit(netlist, codes.astype(np.uint8), boundary)


def hand_made_life(boundary="periodic"):
    """Life as everybody writes it: add up the eight neighbours with full adders, compare with 2 and 3."""
    gates = []

    def gate(code, a, b):
        gates.append((code, a, b))
        return 8 + len(gates)

    def full(a, b, c):
        half = gate(XOR, a, b)
        return gate(XOR, half, c), gate(OR, gate(AND, a, b), gate(AND, half, c))

    s1, c1 = full(0, 1, 2)
    s2, c2 = full(3, 5, 6)
    s3, c3 = gate(XOR, 7, 8), gate(AND, 7, 8)
    ones, c4 = full(s1, s2, s3)
    t1, f1 = full(c1, c2, c3)
    twos, f2 = gate(XOR, t1, c4), gate(AND, t1, c4)
    fours = gate(OR, f1, f2)
    two_or_three = gate(2, twos, fours)
    alive = gate(OR, ones, CENTRE)
    return circuit(1, boundary, [*gates, (AND, two_or_three, alive)], [9 + len(gates)])


def border_checkerboard():
    """A checkerboard of 2x2 squares that grows in from the upper and the left edge of a zero boundary.

    Channel 1 says that the row is even: that the one above is not, those outside being 0. Channel 2 says the same of
    columns. Channels 3 and 4 are the parities of pairs of rows and of columns: those of the neighbour, changed where a
    pair begins. Channel 0 is the pattern, 5 is noise that nobody reads.
    """
    channels, gates = 6, []

    def gate(code, a, b=None):
        gates.append((code, a, a if b is None else b))
        return 9 * channels + len(gates) - 1

    def near(position, channel):
        return position * channels + channel

    row_even = gate(NOT_A, near(N, 1))
    column_even = gate(NOT_A, near(W, 2))
    row_pair = gate(XOR, near(N, 3), row_even)
    column_pair = gate(XOR, near(W, 4), column_even)
    pattern = gate(XOR, near(CENTRE, 3), near(CENTRE, 4))
    noise = gate(XNOR, near(E, 5), near(S, 0))
    return circuit(channels, "zero", gates, [pattern, row_even, column_even, row_pair, column_pair, noise])


def plain_checkerboard(height, width):
    return np.array([[(x // 2 + y // 2) % 2 == 1 for x in range(width)] for y in range(height)])


def plain_life(grid, periodic=True):
    """One step of Life by counting; grid (height, width) bool."""
    height, width = grid.shape
    new = np.zeros_like(grid)
    for y in range(height):
        for x in range(width):
            count = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    v, u = y + dy, x + dx
                    if (dy or dx) and (periodic or (0 <= v < height and 0 <= u < width)):
                        count += grid[v % height, u % width]
            new[y, x] = count == 3 or (grid[y, x] and count == 2)
    return new


def digits(rows):
    """Return rows of bits as lines of 0 and 1."""
    return "\n".join("".join(str(int(bit)) for bit in row) for row in rows)


def bits(lines):
    """Return lines of 0 and 1 as rows of bits."""
    return np.array([[digit == "1" for digit in line] for line in lines])
