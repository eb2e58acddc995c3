"""``grapheme graph``: cliques, communities, levels, distances and pictures of graphs, one file a command."""

from __future__ import annotations

import click

from grapheme.cli.graph.cliques import cliques
from grapheme.cli.graph.communities import communities
from grapheme.cli.graph.distance import distance
from grapheme.cli.graph.flow import flow
from grapheme.cli.graph.levels import levels
from grapheme.cli.graph.matrix import matrix
from grapheme.cli.graph.show import show


@click.group()
def graph() -> None:
    """Ask for the cliques, communities, levels, edit distances and pictures of graphs.

    A graph is given as a file, whose name says what is in it: .graphml and .json hold a graph, .txt text, .math an
    expression, .py Python source. With --text, --math or --code any other argument is text, mathematics or code: the
    content of the file of that name if there is one, else what you typed.

    \b
    grapheme graph cliques network.graphml -k 4 --count
    grapheme graph communities network.graphml -k 3
    grapheme graph levels --math '2*x + 1'
    grapheme graph flow weighted.json --gradient 3
    grapheme graph distance --math 'x^2 + 1' '(x + 1)^2'
    grapheme graph matrix molecules/ --out distances.npz
    grapheme graph show program.py --html program.html
    """


for command in (cliques, communities, distance, flow, levels, matrix, show):
    graph.add_command(command)
