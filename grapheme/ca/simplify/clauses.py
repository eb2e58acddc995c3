"""Circuits as clauses for the SAT solver of python-sat."""

from __future__ import annotations

from collections.abc import Sequence

from grapheme import gates
from grapheme.ca.simplify.logic import Logic


class Clauses:
    """Clauses that grow; a literal is a variable, or its negative for the inverse."""

    def __init__(self) -> None:
        self.count = 0
        self.clauses: list[list[int]] = []
        self.decided = False
        """Whether the last search came to an end."""

    def variable(self) -> int:
        """Return a new variable."""
        self.count += 1
        return self.count

    def constant(self, value: bool) -> int:
        """Return a variable that has a value."""
        self.clauses.append([self.variable() if value else -self.variable()])
        return self.count

    def gate(self, code: int, a: int, b: int) -> int:
        """Return a variable that is the operation ``code`` of two literals."""
        out = self.variable()
        for x in (False, True):
            for y in (False, True):
                result = out if gates.value(code, x, y) else -out
                self.clauses.append([-a if x else a, -b if y else b, result])
        return out

    def add(self, logic: Logic, inputs: Sequence[int]) -> list[int]:
        """Add a circuit that reads the literals ``inputs``, and return those of its outputs."""
        nodes = list(inputs)
        for code, a, b in logic.gates:
            nodes.append(self.gate(code, nodes[a], nodes[b]))
        return [nodes[node] for node in logic.outputs]

    def at_least_one(self, literals: Sequence[int]) -> None:
        """Demand that one of the literals holds."""
        self.clauses.append(list(literals))

    def solve(self, conflicts: int) -> dict[int, bool] | None:
        """Return the value of every variable, or None if there is none or the search gave up; see ``decided``."""
        from pysat.solvers import Glucose4

        with Glucose4(bootstrap_with=self.clauses) as solver:
            solver.conf_budget(conflicts)
            answer = solver.solve_limited()
            self.decided = answer is not None
            return {abs(literal): literal > 0 for literal in solver.get_model()} if answer else None
