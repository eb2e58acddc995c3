"""What the gates of an automaton are before they learn: wires, or in the kernels parities too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme import gates

PASS_THROUGH = 10.0
"""The logit of what a gate is at the start; all its other logits are 0."""

CHANCES = {gates.XOR: 0.5, gates.PASS_A: 0.25, gates.PASS_B: 0.25}
"""What a gate of a kernel is that starts as a parity, above its first layer."""


def start(kernels: int, widths: Sequence[int], update: int, parity: np.random.Generator | None) -> np.ndarray:
    """Return the operations (rows,) of kernels with layers of these widths and of so many gates above them.

    All pass their first input through, unless kernels start as parities, drawn by ``parity``.
    """
    first = np.full(kernels * sum(widths), gates.PASS_A) if parity is None else _parities(kernels, widths, parity)
    return np.concatenate([first, np.full(update, gates.PASS_A)])


def logits_of(codes: np.ndarray, dtype: np.dtype[np.floating]) -> np.ndarray:
    """Return logits (rows, 16) of gates that are nearly sure of their operation."""
    logits = np.zeros((len(codes), 16), dtype)
    logits[np.arange(len(codes)), codes] = PASS_THROUGH
    return logits


def _parities(kernels: int, widths: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Return the operations of kernels that start as the parity of some neighbours, each of others.

    As wires, all kernels would pass on the same neighbour: signals go one way, and it takes long until any
    learns to look elsewhere. What happens in any of a parity's cells always reaches what it is computed for.
    """
    codes, chances = list(CHANCES), list(CHANCES.values())
    first = np.full(kernels * widths[0], gates.PASS_A)
    return np.concatenate([first, *(rng.choice(codes, kernels * width, p=chances) for width in widths[1:])])
