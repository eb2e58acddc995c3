"""Edit distance: every partial mapping in turn, unless what it has spent already costs too much."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Ints
from grapheme.kernels.edits import DELETED, OPEN, EditProblem, EditSearch


def edit_bounds(problem: EditProblem) -> tuple[np.ndarray, np.ndarray, Ints]:
    """Return the branch bound ``(P,)`` of each pair, and the cost ``(P,)`` of the mapping ``(P, N)`` it suggests."""
    mapping = np.full((len(problem.pairs), problem.nodes.shape[1]), DELETED, np.int32)
    lower, upper = np.zeros(len(problem.pairs), np.int64), np.zeros(len(problem.pairs), np.int64)
    for p in range(len(problem.pairs)):
        lower[p] = _assign_branches(problem, p, mapping[p])
        upper[p] = _spent(problem, p, mapping[p])
    return lower, upper, mapping


def edit_search(problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
    """Look at up to ``budget`` partial mappings of each subtree; return the better mappings and what is left."""
    upper, mapping = search.upper.copy(), search.mapping.copy()
    left: list[tuple[int, Ints, int]] = []
    for owner, subtree, bound in zip(search.owner.tolist(), search.subtrees, search.bound.tolist(), strict=True):
        begin = max(bound, _spent(problem, owner, subtree))  # one with no open node may cost more
        stack, least, best = [(subtree, begin)], int(search.upper[owner]), None
        for _ in range(budget):
            if not stack:
                break
            here, bound = stack.pop()
            if bound < least and OPEN in here:
                children = _children(problem, owner, here)
                stack += [(child, max(bound, _spent(problem, owner, child))) for child in children]
            elif bound < least:
                least, best = bound, here
        if best is not None and least < upper[owner]:
            upper[owner], mapping[owner] = least, best
        left += [(owner, here, bound) for here, bound in stack]
    left = [entry for entry in left if entry[2] < upper[entry[0]]]
    return EditSearch(
        upper,
        mapping,
        np.array([owner for owner, _, _ in left], np.int32),
        np.array([subtree for _, subtree, _ in left], np.int32).reshape(-1, mapping.shape[1]),
        np.array([bound for _, _, bound in left], np.int64),
    )


def _children(problem: EditProblem, p: int, here: Ints) -> list[Ints]:
    """Return the mapping with its first open node decided, in every way."""
    row = int(np.flatnonzero(here == OPEN)[0])
    children = []
    for choice in [DELETED, *range(_size(problem, p, 1))]:
        if choice == DELETED or choice not in here:
            child = here.copy()
            child[row] = choice
            children.append(child)
    return children


def _spent(problem: EditProblem, p: int, mapping: Ints) -> int:
    """Return the cost of what a mapping decides: nodes, edges between them, and insertions once no node is open."""
    (x, y), n, m = problem.pairs[p], _size(problem, p, 0), _size(problem, p, 1)
    becomes = [(i, int(mapping[i])) for i in range(n) if mapping[i] != OPEN]
    if len(becomes) == n:
        becomes += [(DELETED, j) for j in range(m) if j not in mapping[:n]]
    # The index -1 of none points at the padding, whose codes are all 0.
    nodes, edges = np.pad(problem.nodes, ((0, 0), (0, 1))), np.pad(problem.edges, ((0, 0), (0, 1), (0, 1)))
    total = sum(problem.node_costs[nodes[x, i], nodes[y, j]] for i, j in becomes)
    for at, (i, j) in enumerate(becomes):
        total += sum(problem.edge_costs[edges[x, k, i], edges[y, other, j]] for k, other in becomes[:at])
    return int(total)


def _assign_branches(problem: EditProblem, p: int, mapping: Ints) -> int:
    """Write the cheapest assignment of nodes with half their edges, and return its cost, rounded up.

    Rows are the first graph's nodes and then one absence for each of the second's; columns the other way round. Costs
    are doubled.
    """
    from scipy.optimize import linear_sum_assignment

    (x, y), n, m = problem.pairs[p], _size(problem, p, 0), _size(problem, p, 1)
    left, right = problem.edges[x, :n, :n], problem.edges[y, :m, :m]
    cost = np.full((n + m, n + m), np.iinfo(np.int32).max, np.float64)
    cost[n:, m:] = 0
    for i in range(n):
        cost[i, m + i] = 2 * problem.node_costs[problem.nodes[x, i], 0] + problem.edge_costs[left[i], 0].sum()
        for j in range(m):
            cost[i, j] = 2 * problem.node_costs[problem.nodes[x, i], problem.nodes[y, j]]
            cost[i, j] += _bags(left[i], right[j], problem.edge_costs)
    for j in range(m):
        cost[n + j, j] = 2 * problem.node_costs[0, problem.nodes[y, j]] + problem.edge_costs[0, right[j]].sum()
    rows, columns = linear_sum_assignment(cost)
    mapping[:n] = np.where(columns[:n] < m, columns[:n], DELETED)
    return -int(-cost[rows, columns].sum() // 2)


def _bags(left: Ints, right: Ints, edge_costs: np.ndarray) -> int:
    """Return the least cost of turning one bag of edges into another if all changes cost as little as the cheapest."""
    codes = range(1, len(edge_costs))
    counts = [(int((left == code).sum()), int((right == code).sum())) for code in codes]
    p, q = sum(a for a, _ in counts), sum(b for _, b in counts)
    common = sum(min(pair) for pair in counts)
    if not p + q:
        return 0
    delete, insert = int(edge_costs[1:, 0].min()), int(edge_costs[0, 1:].min())
    change = min([delete + insert] + [int(edge_costs[a, b]) for a in codes for b in codes if a != b])
    return (min(p, q) - common) * change + max(p - q, 0) * delete + max(q - p, 0) * insert


def _size(problem: EditProblem, p: int, side: int) -> int:
    return int(np.count_nonzero(problem.nodes[problem.pairs[p, side]]))
