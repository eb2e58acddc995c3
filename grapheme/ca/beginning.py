"""What the gates of an automaton are before they learn: wires, or in the kernels parities too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme import gates
from grapheme.ca.wiring import Wires

PASS_THROUGH = 10.0
"""The logit of what a gate is at the start; all its other logits are 0."""

CHANCES = {gates.XOR: 0.5, gates.PASS_A: 0.25, gates.PASS_B: 0.25}
"""What a gate of a kernel is that starts as a parity, above its first layer."""

NEIGHBOURS = 8


def start(kernels: int, perceive: Sequence[Wires], update: int, parity: np.random.Generator | None) -> np.ndarray:
    """Return the operations (rows,) of kernels with these layers and of so many gates above them.

    All pass their first input through, unless kernels start as parities, drawn by ``parity``.
    """
    rows = kernels * sum(len(a) for a, _ in perceive)
    first = np.full(rows, gates.PASS_A) if parity is None else _parities(kernels, perceive, parity)
    return np.concatenate([first, np.full(update, gates.PASS_A)])


def logits_of(codes: np.ndarray, dtype: np.dtype[np.floating]) -> np.ndarray:
    """Return logits (rows, 16) of gates that are nearly sure of their operation."""
    logits = np.zeros((len(codes), 16), dtype)
    logits[np.arange(len(codes)), codes] = PASS_THROUGH
    return logits


def _parities(kernels: int, perceive: Sequence[Wires], rng: np.random.Generator) -> np.ndarray:
    """Return the operations of kernels that start as parities of some neighbours, each neighbour in one at least.

    As wires, all kernels would pass on the same neighbour: signals go one way, and it takes long until any
    learns to look elsewhere. What happens in any of a parity's cells always changes it.
    """
    codes, chances = list(CHANCES), list(CHANCES.values())
    while True:
        layers = [np.full((kernels, len(perceive[0][0])), gates.PASS_A)]
        layers += [rng.choice(codes, (kernels, len(a)), p=chances) for a, _ in perceive[1:]]
        if _read(layers, perceive).sum() == NEIGHBOURS:
            return np.concatenate([layer.ravel() for layer in layers])


def _read(layers: Sequence[np.ndarray], perceive: Sequence[Wires]) -> np.ndarray:
    """Return which of the nine cells (9,) some kernel's parity is about."""
    kernels = len(layers[0])
    about = np.broadcast_to(np.eye(9, dtype=np.bool_), (kernels, 9, 9))
    for codes, (a, b) in zip(layers, perceive, strict=True):
        takes_a, takes_b = codes != gates.PASS_B, codes != gates.PASS_A
        about = (about[:, a] & takes_a[..., None]) ^ (about[:, b] & takes_b[..., None])
    return np.asarray(about.any(axis=(0, 1)))
