"""Contract of the group ``graph``: cliques, directed acyclic graphs and edit distance.

A graph is ``indptr (nodes + 1,)`` int64 and ``indices (arcs,)`` int32 as in ``grapheme.kernels.csr``: the row of a
node holds the nodes its arcs lead to, ascending. For cliques, a graph is undirected without loops, and an *orientation*
holds of each edge only the arc to the later node. Results are in ascending order, rows first.
"""

from __future__ import annotations

from typing import Protocol

from grapheme.arrays import Array
from grapheme.kernels.edits import EditProblem, EditSearch


class CliqueKernels(Protocol):
    """Cliques, and the orders of nodes by which they are found."""

    def core_numbers(self, indptr: Array, indices: Array) -> Array:
        """Return for each node (nodes,) int32 the last c that it survives when nodes of degree below c are removed."""
        ...

    def orient(self, indptr: Array, indices: Array, order: Array) -> tuple[Array, Array]:
        """Return the orientation among the nodes ``order (n,)`` int32, no node twice, which become nodes 0 to n - 1."""
        ...

    def count_cliques(self, indptr: Array, indices: Array, k: int, first: int, last: int, cap: int) -> Array:
        """Return how many k-cliques of an orientation, k > 2, begin with node ``first``, ..., ``last - 1``: int64.

        A number above ``cap`` is given as ``cap``.
        """
        ...

    def list_cliques(
        self, indptr: Array, indices: Array, names: Array, k: int, first: int, skip: int, wanted: Array
    ) -> Array:
        """Return k-cliques of an orientation, k > 2, as rows (sum of wanted, k) int32, rows and columns ascending.

        Of those with the smallest node ``first + i`` it returns the first ``wanted[i]``, of node ``first`` after
        passing over ``skip``; there must be that many. Node v is written as ``names[v]``; the names ascend.
        """
        ...

    def maximal_cliques(self, indptr: Array, indices: Array, order: Array, cap: int) -> tuple[Array, Array] | None:
        """Return the cliques that no node can be added to, nodes ascending in each, the cliques in any order.

        They are ``members[offsets[i] : offsets[i + 1]]``, int32 and int64; None if they have more than ``cap``
        members in all. ``order (nodes,)`` int32 holds all nodes; the work is smallest if few neighbours of a node
        come after it.
        """
        ...


class DagKernels(Protocol):
    """Directed acyclic graphs, level by level."""

    def topological_levels(self, indptr: Array, indices: Array) -> Array:
        """Return the length (nodes,) int32 of the longest path to each node, or -1 where a cycle leads to it."""
        ...

    def dag_forward(
        self,
        levels: tuple[Array, Array],
        incoming: tuple[Array, Array, Array],
        weights: Array,
        inputs: Array,
        slope: float,
    ) -> Array:
        """Return the values (nodes, features): without arcs into it a node keeps its input, else LeakyReLU of a sum.

        ``levels`` are the nodes by level, ascending in each: offsets (levels + 1,) int64 and nodes int32.
        ``incoming`` are the arcs into these nodes, in this order of the nodes: offsets (nodes + 1,) int64, where each
        comes from, int32, and its row in ``weights (arcs,)``, int64.
        """
        ...

    def dag_grad(
        self,
        levels: tuple[Array, Array],
        outgoing: tuple[Array, Array],
        weights: Array,
        values: Array,
        grad: Array,
        inner: Array,
        slope: float,
    ) -> tuple[Array, Array]:
        """Pull ``grad``, the gradient of the values, back to the inputs (nodes, features) and the weights (arcs,).

        ``outgoing`` is the graph, arc by arc in the order of the weights; ``inner (nodes,)`` bool says which nodes
        have arcs into them.
        """
        ...


class EditKernels(Protocol):
    """Edit distances of many pairs of graphs at once."""

    def edit_bounds(self, problem: EditProblem) -> tuple[Array, Array, Array]:
        """Return for each pair a bound (P,), the cost (P,) of a mapping and the mapping (P, N), as in ``EditSearch``.

        The lower bound is that of branches: a node becoming another costs twice its nodes' cost, and the least that
        it takes to turn the one's edges into the other's if edges of a code can stay and any other change, deletion
        or insertion costs no more than the cheapest of its kind; a node deleted or inserted costs twice itself, and
        its edges once. The bound is half the cost of the cheapest assignment of all nodes, rounded up. The mapping is
        any that the backend finds good.
        """
        ...

    def edit_search(self, problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
        """Look at up to ``budget`` partial mappings of each subtree, and return how far the search has come.

        Repeated until no subtree is left, it makes ``upper`` the edit distance of every pair. Subtrees that cannot
        hold a cheaper mapping are left out. What one subtree finds is told to the others only by the result, so that
        their order is no matter.
        """
        ...


class GraphKernels(CliqueKernels, DagKernels, EditKernels, Protocol):
    """What ``graph.py`` of a backend holds."""
