"""What a plugin's author needs to test a backend: random problems, cases for every kernel, and comparisons.

``grapheme.testing.suite.ConformanceSuite`` is the same as pytest tests.
"""

from grapheme.testing.case import Case, Outcome
from grapheme.testing.compare import TOLERANCES, assert_close, assert_same_bits
from grapheme.testing.conformance import all_cases, cases_for, conform
from grapheme.testing.problems import GridProblem, grid_problem, random_netlist

__all__ = [
    "TOLERANCES",
    "Case",
    "GridProblem",
    "Outcome",
    "all_cases",
    "assert_close",
    "assert_same_bits",
    "cases_for",
    "conform",
    "grid_problem",
    "random_netlist",
]
