"""Circuits as clauses for the SAT solver of python-sat."""

from __future__ import annotations

from collections.abc import Sequence

from grapheme.ca.simplify.logic import Logic
from grapheme.kernels import gates


class Clauses:
    """Clauses that grow; a literal is a variable, or its negative for the inverse. Equal gates become one variable."""

    def __init__(self) -> None:
        self.count = 0
        self.clauses: list[list[int]] = []
        self.made: dict[tuple[int, int, int], int] = {}
        self.decided = False
        """Whether the last search came to an end."""
        self.true = self.variable()
        self.clauses.append([self.true])

    def variable(self) -> int:
        """Return a new variable."""
        self.count += 1
        return self.count

    def gate(self, code: int, a: int, b: int) -> int:
        """Return a literal that is the operation ``code`` of two literals."""
        code, a, b = self._normal(code, a, b)
        wires = {gates.FALSE: -self.true, gates.PASS_A: a, gates.PASS_B: b}
        inverse = code >= 8  # the codes from 8 on are the inverses of those from 7 down
        code = 15 - code if inverse else code
        out = wires[code] if code in wires else self._made(code, a, b)
        return -out if inverse else out

    def _normal(self, code: int, a: int, b: int) -> tuple[int, int, int]:
        """Return an equal gate that reads variables, not inverses, in order, and depends on no constant or twin."""
        code = gates.code_of(lambda x, y: gates.value(code, x ^ (a < 0), y ^ (b < 0)))
        a, b = abs(a), abs(b)
        if a > b:
            code, a, b = gates.code_of(lambda x, y, c=code: gates.value(c, y, x)), b, a  # type: ignore[misc]
        if a == self.true:
            code = gates.code_of(lambda _, y, c=code: gates.value(c, True, y))  # type: ignore[misc]
        if a == b:
            code = gates.code_of(lambda x, _, c=code: gates.value(c, x, x))  # type: ignore[misc]
        return code, a, b

    def _made(self, code: int, a: int, b: int) -> int:
        if (code, a, b) not in self.made:
            out = self.made[code, a, b] = self.variable()
            for x in (False, True):
                for y in (False, True):
                    result = out if gates.value(code, x, y) else -out
                    self.clauses.append([-a if x else a, -b if y else b, result])
        return self.made[code, a, b]

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
            found = {abs(literal): literal > 0 for literal in solver.get_model()} if answer else {}
            return {variable: found.get(variable, False) for variable in range(1, self.count + 1)} if answer else None
