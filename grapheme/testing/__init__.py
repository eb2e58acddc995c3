"""Random problems and comparisons with which any backend is tested against the oracle."""

from grapheme.testing.compare import TOLERANCES, assert_close, assert_same_bits
from grapheme.testing.problems import GridProblem, grid_problem, random_netlist

__all__ = ["TOLERANCES", "GridProblem", "assert_close", "assert_same_bits", "grid_problem", "random_netlist"]
