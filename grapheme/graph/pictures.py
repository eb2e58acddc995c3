"""Pictures of graphs: PNG, and a page that can be zoomed and read without a network."""

from __future__ import annotations

import html
import io
from pathlib import Path
from string import Template

from grapheme.arrays import Floats
from grapheme.errors import InvalidInputError
from grapheme.files import write_whole
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.labels import node_labels
from grapheme.graph.layout import positions

MOST_NODES = 1000
"""More would be neither drawn in a moment nor told apart."""
LONGEST = 16
"""Characters of a caption."""
PAPER, INK, EDGE = "#f4f1ea", "#264653", "#9aa5a9"
SIDE = 1000


def captions(g: AbstractGraph) -> list[str]:
    """Return what to write at each node: its label as text, or its number if it has none."""
    return [str(i) if label is None else _shortened(label) for i, label in enumerate(node_labels(g))]


def save_png(path: Path, g: AbstractGraph) -> None:
    """Draw the nodes with their captions, and the edges."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    places = _places(g)
    figure = Figure(figsize=(10, 10), facecolor=PAPER, layout="tight")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(1, 0))
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": INK}
    boxes = [
        axes.text(
            x, y, caption, color=INK, ha="center", va="center", size=9, bbox=box, parse_math=False
        ).get_bbox_patch()
        for caption, (x, y) in zip(captions(g), places.tolist(), strict=True)
    ]
    for a, b in g.edge_list.tolist():
        ends = {"patchA": boxes[a], "patchB": boxes[b], "shrinkA": 0, "shrinkB": 0}
        style = {"arrowstyle": "->" if g.directed else "-", "color": EDGE}
        if a == b:
            axes.add_patch(Circle((places[a, 0], places[a, 1] - 0.015), 0.015, fill=False, color=EDGE))
        else:
            axes.annotate("", places[b], places[a], arrowprops={**style, **ends})
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    write_whole(path, buffer.getvalue())


def save_html(path: Path, g: AbstractGraph) -> None:
    """Write one page that holds the picture and the few lines of script to zoom and move it."""
    places = (SIDE * _places(g)).round(1)
    edges = [_line(places, a, b, g.directed) for a, b in g.edge_list.tolist()]
    nodes = [
        f'<text x="{x}" y="{y}">{html.escape(caption)}<title>node {i}</title></text>'
        for i, (caption, (x, y)) in enumerate(zip(captions(g), places.tolist(), strict=True))
    ]
    template = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    page = template.substitute(
        title=html.escape(repr(g)), side=SIDE, paper=PAPER, ink=INK, edge=EDGE, marks="\n".join(edges + nodes)
    )
    write_whole(path, page.encode("utf-8", "replace"))


def _line(places: Floats, a: int, b: int, directed: bool) -> str:
    (x1, y1), (x2, y2) = places[a].tolist(), places[b].tolist()
    if a == b:
        return f'<circle cx="{x1}" cy="{y1 - 14}" r="12"/>'
    arrow = ' marker-end="url(#arrow)"' if directed else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{arrow}/>'


def _places(g: AbstractGraph) -> Floats:
    if g.nodes > MOST_NODES:
        raise InvalidInputError(f"A picture shows up to {MOST_NODES} nodes; the graph has {g.nodes}.")
    return positions(g)


def _shortened(label: object) -> str:
    text = "".join(character if character.isprintable() else repr(character)[1:-1] for character in str(label))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
