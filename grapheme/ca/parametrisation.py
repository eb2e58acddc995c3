"""How parameters become the coefficients of soft gates, and how a gradient comes back: a pair of functions each.

A parametrisation may be asked to round some of its gates: these act as the hard gate will, and their gradient passes
straight through as if they had not been rounded. A circuit trained with ever changing gates rounded learns to work
when all of them are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import final

import numpy as np

from grapheme.arrays import Array, Namespace
from grapheme.kernels import gates

PullBack = Callable[[Array], Array]
"""The gradient (P, 4) of the coefficients -> that of the parameters."""

CORNERS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], np.int8)
"""Row by row, (1, a, b, ab) at the inputs a, b = 00, 01, 10, 11: coefficients -> truth table."""

INTERPOLATION = np.array([[1, 0, 0, 0], [-1, 0, 1, 0], [-1, 1, 0, 0], [1, -1, -1, 1]], np.int8)
"""The inverse of ``CORNERS``: truth table -> coefficients."""

TRUTH_TABLES = gates.BILINEAR @ CORNERS.T
"""(16, 4): the truth table of each operation."""


class AbstractParametrisation(ABC):
    """A family of soft gates; each gate is one row of parameters."""

    name: str
    """What the parameters are called in a checkpoint."""

    @abstractmethod
    def start(self, logits: Array, xp: Namespace) -> Array:
        """Return parameters to start training from a circuit given as mixtures ``logits (P, 16)``."""

    @abstractmethod
    def linearise(self, parameters: Array, xp: Namespace, rounded: Array | None = None) -> tuple[Array, PullBack]:
        """Return the coefficients (P, 4) and their pull-back; ``rounded (P, 1)`` says which gates are hard."""

    @abstractmethod
    def logits(self, parameters: Array, xp: Namespace) -> Array:
        """Return the logits (P, 16) of the same gates as mixtures of the sixteen operations."""


@final
class Mixture(AbstractParametrisation):
    """The published form: sixteen logits a gate, whose softmax mixes the sixteen operations."""

    name = "logits"

    def start(self, logits: Array, xp: Namespace) -> Array:
        """Return the logits themselves."""
        return logits

    def linearise(self, parameters: Array, xp: Namespace, rounded: Array | None = None) -> tuple[Array, PullBack]:
        """Round a gate to its heaviest operation."""
        mixture = used = gates.softmax(parameters, xp)
        if rounded is not None:
            codes = xp.argmax(parameters, axis=-1)[:, None]
            used = xp.where(rounded, xp.astype(codes == xp.arange(16)[None, :], mixture.dtype), mixture)
        return gates.coefficients(used, xp), lambda grad: gates.pull_back(mixture, grad, xp)

    def logits(self, parameters: Array, xp: Namespace) -> Array:
        """Return the parameters themselves."""
        return parameters


@final
class TruthTable(AbstractParametrisation):
    """Four parameters a gate: the log-odds of its output being 1 at the inputs 00, 01, 10 and 11.

    This is the mixture in which the four outputs are chosen independently. Sixteen operations weighed by a softmax can
    make the same gate in many ways; here there is one, and its rounding is the nearest operation.
    """

    name = "tables"

    def __init__(self, limit: float = 4.0) -> None:
        self.limit = limit

    def start(self, logits: Array, xp: Namespace) -> Array:
        """Return the log-odds (P, 4) of the same gates, none beyond ``limit``: surer gates would be slow to change."""
        mixture = gates.softmax(logits, xp)
        ones = mixture @ _matrix(TRUTH_TABLES, mixture, xp)
        zeros = mixture @ _matrix(1 - TRUTH_TABLES, mixture, xp)
        return xp.clip(xp.log(ones) - xp.log(zeros), -self.limit, self.limit)

    def linearise(self, parameters: Array, xp: Namespace, rounded: Array | None = None) -> tuple[Array, PullBack]:
        """Round each output of a gate to the nearer of 0 and 1."""
        tables = used = 1 / (1 + xp.exp(-parameters))
        if rounded is not None:
            used = xp.where(rounded, xp.astype(parameters > 0, tables.dtype), tables)
        interpolation = _matrix(INTERPOLATION, tables, xp)
        slopes = tables * (1 - tables)
        return used @ xp.matrix_transpose(interpolation), lambda grad: (grad @ interpolation) * slopes

    def logits(self, parameters: Array, xp: Namespace) -> Array:
        """Return each operation's log-probability, but for a constant: the sum over its outputs' log-odds."""
        return parameters @ xp.matrix_transpose(_matrix(TRUTH_TABLES, parameters, xp))


MIXTURE = Mixture()


def _matrix(table: np.ndarray, like: Array, xp: Namespace) -> Array:
    return xp.asarray(table.tolist(), dtype=like.dtype, device=like.device)
