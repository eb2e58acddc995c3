"""Edit distances of many pairs, each worker some of them; while searching, some subtrees of partial mappings.

One graph's cliques and levels are not cut: the host finds them in less time than it takes to send the graph.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme.kernels.graph import GraphKernels
from grapheme_ray import tasks
from grapheme_ray.team import Team, call


class RayGraph:
    """The kernels for edit distance of the group ``graph`` on a team, and all others of the group on the host."""

    def __init__(self, team: Team, host: GraphKernels) -> None:
        self._team = team
        self.core_numbers = host.core_numbers
        self.orient = host.orient
        self.count_cliques = host.count_cliques
        self.list_cliques = host.list_cliques
        self.maximal_cliques = host.maximal_cliques
        self.topological_levels = host.topological_levels
        self.dag_forward = host.dag_forward
        self.dag_grad = host.dag_grad

    def edit_bounds(self, problem: EditProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a bound (P,), the cost (P,) of a mapping and the mapping (P, N) of every pair."""
        kept = self._team.keep(problem)
        calls = [call(tasks.edit_bounds, kept, problem.pairs[some]) for some in self._team.parts(len(problem.pairs))]
        lower, upper, mapping = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(lower), np.concatenate(upper), np.concatenate(mapping)

    def edit_search(self, problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
        """Look at up to ``budget`` partial mappings of each subtree."""
        kept = self._team.keep(problem)
        chosen = [_Chosen(search, some) for some in self._team.parts(len(search.owner))]
        calls = [call(tasks.edit_search, kept, problem.pairs[c.pairs], c.search, budget) for c in chosen]
        found = [c.widened(search, answer) for c, answer in zip(chosen, self._team.exchange(calls), strict=True)]
        return _open(reduce(_better, found))


class _Chosen:
    """Some subtrees of a search, with nothing of the pairs that they do not belong to."""

    def __init__(self, search: EditSearch, some: slice) -> None:
        self.pairs, owner = np.unique(search.owner[some], return_inverse=True)
        self.search = EditSearch(
            search.upper[self.pairs],
            search.mapping[self.pairs],
            owner.astype(search.owner.dtype),
            search.subtrees[some],
            search.bound[some],
        )

    def widened(self, search: EditSearch, found: EditSearch) -> EditSearch:
        """Return what was found among all pairs again."""
        upper, mapping = search.upper.copy(), search.mapping.copy()
        upper[self.pairs], mapping[self.pairs] = found.upper, found.mapping
        owner = self.pairs[found.owner].astype(search.owner.dtype)
        return EditSearch(upper, mapping, owner, found.subtrees, found.bound)


def _better(one: EditSearch, other: EditSearch) -> EditSearch:
    """Return two searches as one; of equally good mappings the first is kept, as within a search."""
    better = other.upper < one.upper
    return EditSearch(
        np.where(better, other.upper, one.upper),
        np.where(better[:, None], other.mapping, one.mapping),
        np.concatenate([one.owner, other.owner]),
        np.concatenate([one.subtrees, other.subtrees]),
        np.concatenate([one.bound, other.bound]),
    )


def _open(search: EditSearch) -> EditSearch:
    """Return a search without the subtrees that cannot hold a cheaper mapping."""
    kept = search.bound < search.upper[search.owner]
    return EditSearch(search.upper, search.mapping, search.owner[kept], search.subtrees[kept], search.bound[kept])
