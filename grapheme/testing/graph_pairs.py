"""Pairs of small graphs whose edit distance is asked for: empty, equal, unlabelled, labelled, directed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from grapheme.graph.edit_codes import encode
from grapheme.graph.edit_costs import EditCosts
from grapheme.graph.graph import Graph
from grapheme.kernels.edits import EditProblem

UNEVEN = EditCosts(
    node_substitution=3,
    node_insertion=2,
    node_deletion=5,
    edge_substitution=2,
    edge_insertion=1,
    edge_deletion=3,
)
"""No two of these are alike where a mistake could hide."""


def edit_problems() -> Iterator[tuple[str, EditProblem]]:
    """Yield named problems for bounds, the smallest graphs first."""
    nothing = Graph.from_edges([], 0)
    yield "no pair", _problem([random_graph(0, 3, 0.5), random_graph(1, 4, 0.5)], UNEVEN, [])
    yield "nothing to nothing", _problem([nothing, nothing], UNEVEN, [(0, 1)])
    yield "nothing to something", _problem([nothing, random_graph(2, 4, 0.7, "ab", "xy")], UNEVEN)
    yield from small_edit_problems()
    sizes = (3, 5, 8, 8, 12, 12)
    yield "unlabelled", _problem([random_graph(i, n, 0.4) for i, n in enumerate(sizes)], EditCosts())
    labelled = [random_graph(i, n, 0.4, "abc", "xyz") for i, n in enumerate(sizes)]
    yield "labelled", _problem(labelled, UNEVEN)
    yield "better deleted", _problem(labelled, EditCosts(node_substitution=50, edge_substitution=50))
    directed = [random_graph(i, n, 0.3, "ab", "xy", directed=True) for i, n in enumerate(sizes)]
    yield "directed", _problem(directed, UNEVEN)
    large = [random_graph(i, n, 0.2, "abcd", "x") for i, n in enumerate((20, 35, 35))]
    yield "large", _problem(large, EditCosts(node_substitution=2.5))


def small_edit_problems() -> Iterator[tuple[str, EditProblem]]:
    """Yield named problems that a search through all mappings solves in a moment."""
    sizes = (1, 2, 3, 4, 4)
    yield "small unlabelled", _problem([random_graph(i, n, 0.6) for i, n in enumerate(sizes)], EditCosts())
    yield "small labelled", _problem([random_graph(i, n, 0.6, "ab", "xy") for i, n in enumerate(sizes)], UNEVEN)
    unlike = [random_graph(i, n, 0.6, "abc", "xy") for i, n in enumerate((1, 3, 3, 4))]
    yield "small, better deleted", _problem(unlike, EditCosts(node_substitution=50, edge_substitution=50))
    directed = [random_graph(i, n, 0.5, "ab", "x", directed=True) for i, n in enumerate((0, 3, 3, 4))]
    yield "small directed", _problem(directed, UNEVEN)


def random_graph(
    seed: int, nodes: int, density: float, labels: str = "", edge_labels: str = "", directed: bool = False
) -> Graph:
    """Return a graph with letters of ``labels`` at its nodes and of ``edge_labels`` at its edges, if there are any."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.permutations(range(nodes), 2) if directed else itertools.combinations(range(nodes), 2))
    edges = [pair for pair in pairs if rng.random() < density]
    node_letters, edge_letters = _letters(rng, labels, nodes), _letters(rng, edge_labels, len(edges))
    return Graph.from_edges(edges, nodes, node_letters, directed, edge_letters)


def _letters(rng: np.random.Generator, letters: str, count: int) -> list[str] | None:
    return [letters[i] for i in rng.integers(0, len(letters), count)] if letters else None


def _problem(graphs: Sequence[Graph], costs: EditCosts, pairs: Sequence[tuple[int, int]] | None = None) -> EditProblem:
    """Return the problem of ``pairs``, by default all of which the first graph has no more nodes than the second."""
    if pairs is None:
        every = itertools.permutations(range(len(graphs)), 2)
        pairs = [(x, y) for x, y in every if graphs[x].nodes <= graphs[y].nodes]
    return encode(graphs, costs).choose(np.array(pairs, np.int32).reshape(-1, 2))
