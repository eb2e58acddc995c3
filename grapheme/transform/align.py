"""Which node of a source becomes which of its target, found without any order of the nodes.

What an assignment of nodes saves, compared with building the target anew, is what is made as large as possible: nodes
and edges that stay, and less for nodes and edges that only get another label; also, a little, edges of the target that
join nodes which are near each other in the source. First softly and then ever more surely (graduated assignment, Gold
and Rangarajan 1996). Where several assignments save as much, the order of colours decides, so the outcome does not
depend on the numbers of the nodes, and nearby differences decide before distant ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from grapheme.arrays import Floats, Ints
from grapheme.transform.coding import CodedGraph
from grapheme.transform.colours import Colours, shared_colours
from grapheme.transform.swaps import exchanged

NODE, SAME_LABEL = 0.5, 1.5
"""What a node saves that stays, and what more if its label stays too."""
EDGE, SAME_KIND = 1.0, 1.0
"""The same for edges."""
NEAR_ONE_WAY = (1.0, 0.4, 0.0)
"""What an edge saves whose ends are two, three or more hops apart in the source, if edges have a way.

Then they lead from parts to wholes, and a part often takes the place of the whole around it.
"""
NEAR = {True: (0.1, 0.05, 0.0), False: (1.0, -0.5, -2.0)}
"""The same if they have none, by whether the context counts: where it does not, only nearness says what belongs."""
CONTEXT, NOTHING_AROUND = 0.05, 0.005
"""For each round and way in which two nodes look the same around them; the other if there is nothing around."""
LEAST = 1.9
"""Nodes are assigned to each other only if that saves more, so hardly without any edge that helps."""
FREE = 1.0
"""What a node saves that has no edge which could help."""
GOING, RARELY = 100.0, 0.2
"""What it costs if a node stays that hardly ever does; nodes stay hardly ever if fewer than this share do."""
TIE = 1e-4
SURENESS = tuple(0.5 * 1.35**i for i in range(10))
NORMALISATIONS = 6
REPEATS = 8

SHAKES, SHAKEN = {True: 2, False: 12}, 4
"""How often, and how many nodes of an assignment are mixed up to find out if exchanges then lead to a better one.

More often where edges have no way, for then more assignments are nearly as good as each other.
"""

EXCHANGED = 24
"""In graphs with more nodes exchanges would take too long."""

DENSE = 40
"""Up to so many nodes, zeros are multiplied faster than they are left out."""

UNMATCHED = -1


def align(
    source: CodedGraph,
    target: CodedGraph,
    chances: Floats | None = None,
    strict: bool = False,
    context: bool = True,
    careful: bool = True,
) -> Ints:
    """Return the node of the target (nodes,) that each node of the source becomes, or ``UNMATCHED``.

    ``chances (nodes, labels)`` say which label each node is likely to get; if None, its own. They sum to less than 1
    where a node may go; ``strict`` means that a node which hardly ever stays must not. Without ``context`` it is no
    matter whether nodes look the same around them, but all the more how near they are to each other: better where edges
    come and go everywhere. If not ``careful``, nodes are not exchanged in the end, which takes longest.
    """
    if not source.nodes or not target.nodes:
        return np.full(source.nodes, UNMATCHED, np.int32)
    colours = shared_colours(source, target)
    same = source.labels[:, None] == target.labels[None] if chances is None else chances[:, target.labels]
    alike = NODE + SAME_LABEL * same + context * _context(source, colours) + _tie_break(source, colours)
    if chances is not None and strict:
        alike -= GOING * np.maximum(0, 1 - chances.sum(axis=1) / RARELY)[:, None]
    alone = [np.array([not near for near in graph.neighbours]) for graph in (source, target)]
    alike += FREE * (alone[0][:, None] | alone[1][None])
    problem = _Problem(alike, *_edges(source, target, context))
    order = (
        np.argsort(colours.order[: source.nodes], kind="stable"),
        np.argsort(colours.order[source.nodes :], kind="stable"),
    )
    return _settled(problem, _graduated(problem), SHAKES[source.directed] if careful else None, *order)


@dataclass(frozen=True, eq=False)
class _Problem:
    alike: Floats
    """(nodes, nodes of the target): what a node saves by becoming another."""
    sources: Any
    """(kinds * nodes, nodes): what edges of each kind save, one kind below the other; sparse if it is large."""
    targets: Any
    """(nodes of the target, kinds * nodes of the target): where the target has edges, one kind beside the other."""

    def saved(self, share: Floats) -> Floats:
        """Return what each node would save by becoming another if all others become what ``share`` says."""
        nodes, others = self.alike.shape
        passed = (self.sources @ share).reshape(-1, nodes, others).transpose(0, 2, 1).reshape(-1, nodes)
        result: Floats = self.alike + (self.targets @ passed).T
        return result

    def worth(self, share: Floats) -> float:
        """Return what an assignment saves."""
        return float((share * (self.alike - LEAST + (self.saved(share) - self.alike) / 2)).sum())


def _context(source: CodedGraph, colours: Colours) -> Floats:
    """Return what looking the same from near and far saves."""
    ways = colours.context.reshape(-1, colours.context.shape[-1])
    one, other = ways[:, : source.nodes, None], ways[:, None, source.nodes :]
    result: Floats = ((one == other) * np.where(one == 0, NOTHING_AROUND, CONTEXT)).sum(axis=0)
    return result


def _tie_break(source: CodedGraph, colours: Colours) -> Floats:
    """Return what is too small to outweigh anything, but prefers nodes early in the order, and early with early."""
    place = colours.order / (1 + colours.order.max(initial=0))
    one, other = place[: source.nodes, None], place[None, source.nodes :]
    result: Floats = TIE * (one * other - 2 * one)
    return result


def _edges(source: CodedGraph, target: CodedGraph, context: bool) -> tuple[Any, Any]:
    """Return what edges save: of one relation, of any relation one way or the other, and where there is none."""
    ones, others = _relations(source), _relations(target)
    found = [(SAME_KIND * _matrix_of(ones[r], source), _matrix_of(others[r], target)) for r in ones if r in others]
    for way in range(1 + source.directed):
        mine, theirs = (_one_way(graph.arcs, way, graph.directed) for graph in (source, target))
        found.append((EDGE * _matrix_of(mine, source), _matrix_of(theirs, target)))
    hops, joined = source.hops(3), _matrix_of(target.arcs[:, ::2], target)
    near, nearly, beyond = NEAR_ONE_WAY if source.directed else NEAR[context]
    found.append((near * (hops == 2) + nearly * (hops == 3) + beyond * (hops > 3), joined))
    sources, targets = np.vstack([mine for mine, _ in found]), np.hstack([theirs for _, theirs in found])
    if max(source.nodes, target.nodes) <= DENSE:
        return sources, targets
    return sparse.csr_array(sources), sparse.csr_array(targets)


def _relations(graph: CodedGraph) -> dict[int, np.ndarray]:
    """Return the arcs (arcs, 2) of each relation."""
    return {r: graph.arcs[graph.arcs[:, 1] == r][:, ::2] for r in np.unique(graph.arcs[:, 1]).tolist()}


def _one_way(arcs: np.ndarray, way: int, directed: bool) -> np.ndarray:
    """Return the arcs (arcs, 2) of all relations that go along edges, or against them."""
    return (arcs[arcs[:, 1] % 2 == way] if directed else arcs)[:, ::2]


def _matrix_of(arcs: np.ndarray, graph: CodedGraph) -> Floats:
    """Return a matrix (nodes, nodes) of 1 where there is an arc."""
    matrix = np.zeros((graph.nodes, graph.nodes))
    matrix[arcs[:, 0], arcs[:, 1]] = 1
    return matrix


def _graduated(problem: _Problem) -> Floats:
    """Return a soft assignment, from one that hardly prefers any to one that is nearly sure."""
    nodes, others = problem.alike.shape
    share = np.full((nodes, others), 1 / max(nodes, others))
    for sureness in SURENESS:
        scores = np.full((nodes + 1, others + 1), sureness * LEAST)
        scores[:-1, :-1] = sureness * problem.saved(share)
        powers = np.exp(scores - scores.max())
        powers[-1, -1] = 0
        for _ in range(NORMALISATIONS):
            powers[:-1] /= powers[:-1].sum(axis=1, keepdims=True)
            powers[:, :-1] /= powers[:, :-1].sum(axis=0, keepdims=True)
        share = powers[:-1, :-1]
    return share


def _settled(problem: _Problem, share: Floats, shakes: int | None, rows: np.ndarray, columns: np.ndarray) -> Ints:
    """Return the assignment that follows from a soft one, and from itself, as long as it saves more.

    A soft assignment may have lost heart where only many nodes together save something, so all nodes are tried too.
    """
    starts = [_assigned(problem.saved(share), least, rows, columns) for least in (LEAST, 0.0)]
    found = [_improved(problem, start, rows, columns) for start in starts]
    best = max(found, key=lambda each: each[1])[0]
    if shakes is not None and max(problem.alike.shape) <= EXCHANGED:
        best = _exchanged(problem, best, shakes, rows, columns)
    if (best == UNMATCHED).all():
        i, j = np.unravel_index(problem.alike[np.ix_(rows, columns)].argmax(), problem.alike.shape)
        best[rows[i]] = columns[j]  # where new nodes can be inserted
    return best


def _exchanged(problem: _Problem, mapping: Ints, shakes: int, rows: np.ndarray, columns: np.ndarray) -> Ints:
    """Return the best of the assignments that exchanges lead to, from this one and from others like it.

    Nodes are taken in the order of colours, so that chance is the same whatever their numbers are.
    """
    nodes, others = problem.alike.shape
    alone = (problem.alike - LEAST)[np.ix_(rows, columns)]
    sources = problem.sources.reshape(-1, nodes, nodes)[:, rows[:, None], rows[None]]
    targets = problem.targets.reshape(others, -1, others).transpose(1, 0, 2)[:, columns[:, None], columns[None]]
    place = np.append(np.argsort(columns), UNMATCHED)
    best, most = exchanged(alone, sources, targets, place[mapping[rows]])
    rng = np.random.default_rng(0)
    for _ in range(shakes):
        some = rng.choice(nodes, min(nodes, SHAKEN), replace=False)
        shaken = best.copy()
        shaken[some] = shaken[np.roll(some, 1)]
        found, worth = exchanged(alone, sources, targets, shaken)
        if worth > most + TIE / 100:
            best, most = found, worth
    result = np.full(nodes, UNMATCHED, np.int32)
    result[rows] = np.append(columns, UNMATCHED)[best]
    return result


def _improved(problem: _Problem, mapping: Ints, rows: np.ndarray, columns: np.ndarray) -> tuple[Ints, float]:
    """Return the best of the assignments that follow from each other, and what it saves."""
    best, most = mapping, problem.worth(_matrix(mapping, problem.alike.shape[1]))
    for _ in range(REPEATS):
        mapping = _assigned(problem.saved(_matrix(mapping, problem.alike.shape[1])), LEAST, rows, columns)
        worth = problem.worth(_matrix(mapping, problem.alike.shape[1]))
        if worth <= most + TIE / 100:
            break
        best, most = mapping, worth
    return best, most


def _assigned(saved: Floats, least: float, rows: np.ndarray, columns: np.ndarray) -> Ints:
    """Return the assignment that saves most; nodes that would not save more than ``least`` stay alone."""
    worth = np.maximum(saved - least, 0)[np.ix_(rows, columns)]
    chosen = linear_sum_assignment(worth, maximize=True)
    mapping = np.full(len(saved), UNMATCHED, np.int32)
    for i, j in zip(*chosen, strict=True):
        if worth[i, j] > 0:
            mapping[rows[i]] = columns[j]
    return mapping


def _matrix(mapping: Ints, columns: int) -> Floats:
    matrix = np.zeros((len(mapping), columns))
    matched = mapping != UNMATCHED
    matrix[np.flatnonzero(matched), mapping[matched]] = 1
    return matrix
