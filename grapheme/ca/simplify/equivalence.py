"""Whether two circuits compute the same: by every input, or by random inputs and a SAT solver."""

from __future__ import annotations

import importlib.util

import numpy as np

from grapheme.ca.simplify.logic import Logic, truth_table

MOST_INPUTS = 20
"""Up to so many inputs every assignment is tried."""

CHUNK_INPUTS = 14
RANDOM_WORDS = 256
CONFLICTS = 2_000
"""The solver gives up after so many conflicts; random inputs have then to do."""


def difference(before: Logic, after: Logic) -> np.ndarray | None:
    """Return inputs (inputs,) bool at which the outputs of two circuits differ, or None if none was found."""
    support = sorted(set(before.support()) | set(after.support()))
    if len(support) <= MOST_INPUTS:
        return _exhaustive(before, after, support)
    words = np.random.default_rng(0).integers(0, 2**64, (before.inputs, RANDOM_WORDS), np.uint64, endpoint=False)
    found = _compare(before, after, words)
    return found if found is not None or not solver_installed() else _solve(before, after)


def solver_installed() -> bool:
    """Say whether python-sat is here."""
    return importlib.util.find_spec("pysat") is not None


def _exhaustive(before: Logic, after: Logic, support: list[int]) -> np.ndarray | None:
    """Try every assignment, a chunk at a time: the first variables vary inside a chunk, the others between chunks."""
    low, high = support[:CHUNK_INPUTS], support[CHUNK_INPUTS:]
    table = truth_table(len(low))
    for chunk in range(2 ** len(high)):
        words = np.zeros((before.inputs, table.shape[1]), np.uint64)
        words[low] = table
        words[[node for k, node in enumerate(high) if chunk >> k & 1]] = ~np.uint64(0)
        found = _compare(before, after, words)
        if found is not None:
            return found
    return None


def _compare(before: Logic, after: Logic, words: np.ndarray) -> np.ndarray | None:
    wrong = before.evaluate(words)[before.outputs] ^ after.evaluate(words)[after.outputs]
    bits = np.unpackbits(np.bitwise_or.reduce(wrong, axis=0).view(np.uint8), bitorder="little")
    if not bits.any():
        return None
    assignment = int(np.argmax(bits))
    return (words[:, assignment // 64] >> np.uint64(assignment % 64) & np.uint64(1)).astype(np.bool_)


def _solve(before: Logic, after: Logic) -> np.ndarray | None:
    """Ask the solver for an input at which some output differs."""
    from grapheme.ca.simplify.clauses import Clauses

    clauses = Clauses()
    inputs = [clauses.variable() for _ in range(before.inputs)]
    pairs = zip(clauses.add(before, inputs), clauses.add(after, inputs), strict=True)
    clauses.at_least_one([clauses.gate(6, a, b) for a, b in pairs])
    model = clauses.solve(CONFLICTS)
    return None if model is None else np.array([model[variable] for variable in inputs])
