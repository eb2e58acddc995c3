"""``grapheme graph flow``: what values become that flow along the edges of an acyclic graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

import click

from grapheme.cli.graph.reading import kind_options, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.graph import DagGradient
    from grapheme.graph.abstract import AbstractGraph


@click.command(cls=BackendCommand)
@click.argument("graph")
@click.option("--slope", type=float, default=0.01, show_default=True, help="The slope of LeakyReLU below 0.")
@click.option("--gradient", type=int, metavar="NODE", help="Print the gradient of this node's value instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@kind_options
@kernel_options
def flow(
    graph: str,
    slope: float,
    gradient: int | None,
    as_json: bool,
    kind: str | None,
    backend: str,
    threads: int | None,
) -> None:
    """Print the value of each node of GRAPH, which is directed and has no cycle.

    A node that no edge enters keeps its label as its value; any other becomes LeakyReLU of the sum of the values before
    it, each times the label of its edge. A label that is not a number counts as 1.
    """
    from grapheme.graph import dag_forward, dag_gradient

    asked, chosen = read_graph(graph, kind), load_backend(backend, threads)
    inputs, weights = _numbers(asked.node_labels, asked.nodes), _numbers(asked.edge_labels, asked.edges)
    values = dag_forward(asked, inputs, weights, slope, chosen)
    if gradient is None:
        record, lines = values.tolist(), [f"{node}\t{value:g}" for node, value in enumerate(values.tolist())]
    else:
        found = dag_gradient(asked, values, weights, _one_at(gradient, asked.nodes), slope, chosen)
        record, lines = {"inputs": found.inputs.tolist(), "weights": found.weights.tolist()}, _lines(asked, found)
    for line in [json.dumps(record)] if as_json else lines:
        click.echo(line)


def _numbers(labels: Sequence[object] | None, count: int) -> list[float]:
    """Return labels as numbers; what is no number, a truth value among them, counts as 1."""
    given = [1.0] * count if labels is None else labels
    return [float(one) if isinstance(one, Real) and not isinstance(one, bool) else 1.0 for one in given]


def _one_at(node: int, nodes: int) -> list[float]:
    from grapheme.errors import InvalidInputError

    if not 0 <= node < nodes:
        raise InvalidInputError(f"There is no node {node}; the graph has nodes 0 to {nodes - 1}.")
    return [float(each == node) for each in range(nodes)]


def _lines(graph: AbstractGraph, found: DagGradient) -> list[str]:
    nodes = [f"node {node}\t{slope:g}" for node, slope in enumerate(found.inputs.tolist())]
    ends = zip(graph.edge_list.tolist(), found.weights.tolist(), strict=True)
    return [*nodes, *(f"edge {a} -> {b}\t{slope:g}" for (a, b), slope in ends)]
