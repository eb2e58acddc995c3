"""What the gates of an automaton are before they learn: wires, and in the kernels of some automata parities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.ca.wiring import Wires
from grapheme.kernels import gates

PASS_THROUGH = 10.0
"""The logit of what a gate is at the start; all its other logits are 0."""

DRAWS = 200


def start(
    kernels: int, perceive: Sequence[Wires], update: int, xors: float | None, rng: np.random.Generator
) -> np.ndarray:
    """Return the operations (rows,) of kernels with these layers and of so many gates above them.

    All pass their first input through, unless ``xors`` makes kernels differ: see ``_various``.
    """
    rows = kernels * sum(len(a) for a, _ in perceive)
    first = np.full(rows, gates.PASS_A) if xors is None else _various(kernels, perceive, xors, rng)
    return np.concatenate([first, np.full(update, gates.PASS_A)])


def logits_of(codes: np.ndarray, dtype: np.dtype[np.floating]) -> np.ndarray:
    """Return logits (rows, 16) of gates that are nearly sure of their operation."""
    logits = np.zeros((len(codes), 16), dtype)
    logits[np.arange(len(codes)), codes] = PASS_THROUGH
    return logits


def _various(kernels: int, perceive: Sequence[Wires], xors: float, rng: np.random.Generator) -> np.ndarray:
    """Return the operations of kernels that differ and together read each neighbour, if they can.

    The gates of their first layer pass on a neighbour. Of those above, a share ``xors`` are XORs, and the others pass
    on one of their inputs, either at random: a kernel's output is one neighbour, or the parity of some. As
    published, all kernels would pass on the same: signals go one way or two, and it takes long until any learns to
    look elsewhere. What happens in any of a parity's cells always changes it. Of ``DRAWS`` draws the first that reads
    the most neighbours is taken, since few kernels of few outputs cannot read all.
    """
    return max((_draw(kernels, perceive, xors, rng) for _ in range(DRAWS)), key=lambda found: found[1])[0]


def _draw(kernels: int, perceive: Sequence[Wires], xors: float, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Return the operations of such kernels and how many neighbours they read."""
    codes, chances = [gates.XOR, gates.PASS_A, gates.PASS_B], [xors, (1 - xors) / 2, (1 - xors) / 2]
    layers = [np.full((kernels, len(perceive[0][0])), gates.PASS_A)]
    layers += [rng.choice(codes, (kernels, len(a)), p=chances) for a, _ in perceive[1:]]
    return np.concatenate([layer.ravel() for layer in layers]), int(_read(layers, perceive).sum())


def _read(layers: Sequence[np.ndarray], perceive: Sequence[Wires]) -> np.ndarray:
    """Return which of the nine cells (9,) some kernel's parity is about."""
    kernels = len(layers[0])
    about = np.broadcast_to(np.eye(9, dtype=np.bool_), (kernels, 9, 9))
    for codes, (a, b) in zip(layers, perceive, strict=True):
        takes_a, takes_b = codes != gates.PASS_B, codes != gates.PASS_A
        about = (about[:, a] & takes_a[..., None]) ^ (about[:, b] & takes_b[..., None])
    return np.asarray(about.any(axis=(0, 1)))
