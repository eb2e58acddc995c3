"""Edit distances as networkx returns them: a number, or ever lower ones."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from grapheme.graph.edit_distance import edit_distance
from grapheme.networkx_backend.match_costs import OfOne, OfTwo, Pricing, priced
from grapheme.networkx_backend.named import Name, NamedGraph


def graph_edit_distance(
    G1: NamedGraph,  # noqa: N803 (networkx passes them by these names)
    G2: NamedGraph,  # noqa: N803
    node_match: OfTwo = None,
    edge_match: OfTwo = None,
    node_subst_cost: OfTwo = None,
    node_del_cost: OfOne = None,
    node_ins_cost: OfOne = None,
    edge_subst_cost: OfTwo = None,
    edge_del_cost: OfOne = None,
    edge_ins_cost: OfOne = None,
    roots: tuple[Name, Name] | None = None,
    upper_bound: float | None = None,
    timeout: float | None = None,
) -> float | None:
    """Return the distance, after ``timeout`` seconds the lowest upper bound; None if it is above ``upper_bound``."""
    if timeout is not None and timeout <= 0:
        raise nx.NetworkXError("Timeout value must be greater than 0")
    nodes = Pricing(node_match, node_subst_cost, node_del_cost, node_ins_cost)
    edges = Pricing(edge_match, edge_subst_cost, edge_del_cost, edge_ins_cost)
    distance = edit_distance(*priced(G1, G2, nodes, edges), timeout=timeout).upper
    return distance if upper_bound is None or distance <= upper_bound else None


def optimize_graph_edit_distance(
    G1: NamedGraph,  # noqa: N803
    G2: NamedGraph,  # noqa: N803
    node_match: OfTwo = None,
    edge_match: OfTwo = None,
    node_subst_cost: OfTwo = None,
    node_del_cost: OfOne = None,
    node_ins_cost: OfOne = None,
    edge_subst_cost: OfTwo = None,
    edge_del_cost: OfOne = None,
    edge_ins_cost: OfOne = None,
    upper_bound: float | None = None,
) -> Iterator[float]:
    """Yield a fast upper bound, then the distance if it is lower; neither if it is above ``upper_bound``."""
    nodes = Pricing(node_match, node_subst_cost, node_del_cost, node_ins_cost)
    edges = Pricing(edge_match, edge_subst_cost, edge_del_cost, edge_ins_cost)
    problem = priced(G1, G2, nodes, edges)
    quick = edit_distance(*problem, timeout=0)
    if upper_bound is None or quick.upper <= upper_bound:
        yield quick.upper
    if not quick.optimal:
        exact = edit_distance(*problem).upper
        if exact < quick.upper and (upper_bound is None or exact <= upper_bound):
            yield exact
