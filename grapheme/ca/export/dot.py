"""Circuits as graphs for Graphviz."""

from __future__ import annotations

import json

from grapheme.ca.export.document import Document
from grapheme.ca.simplify.logic import reads
from grapheme.kernels.gates import NAMES

PLACES = ("north-west", "north", "north-east", "west", "itself", "east", "south-west", "south", "south-east")


def text(exported: Document) -> str:
    """Return the circuit from the inputs that matter, at the left, to the outputs."""
    logic, kept = exported.logic, exported.circuit.layout.kept
    lines = ["rankdir=LR", 'node [fontname="Helvetica", style=filled, fillcolor="#f4f1ea"]']
    for node in logic.support():
        place, channel = divmod(node, len(kept))
        lines.append(f'n{node} [shape=box, label="{PLACES[place]}, channel {kept[channel]}"]')
    for node, gate in enumerate(logic.gates, start=logic.inputs):
        lines.append(f'n{node} [shape=ellipse, label="{NAMES[gate[0]]}"]')
        named = len(reads(gate)) > 1
        for side, source in zip("ab", reads(gate), strict=False):
            lines.append(f"n{source} -> n{node}" + (f' [label="{side}"]' if named else ""))
    for channel, output in zip(kept, logic.outputs, strict=True):
        lines += [f'o{channel} [shape=box, label="channel {channel}", fillcolor="#2a9d8f"]', f"n{output} -> o{channel}"]
    return f"digraph {json.dumps(exported.name)} {{\n" + "".join(f"  {line};\n" for line in lines) + "}\n"
