"""The brain: it reads letters that stand for numbers, the larger before the smaller."""

from __future__ import annotations

import re

from grapheme.cortex import Brain
from grapheme.domains import Domain
from grapheme.errors import InvalidInputError
from grapheme.graph import GraphemeGraph
from grapheme.graph.abstract import AbstractGraph

NUMERAL = re.compile(r"(?=.)M*(CM|CD|D?C{0,4})(XC|XL|L?X{0,4})(IX|IV|V?I{0,4})")
"""Either form of every digit: CCCC or CD, DCCCC or CM."""


def parse(text: str) -> GraphemeGraph:
    """Return a numeral, a letter a node."""
    if not NUMERAL.fullmatch(text):
        raise InvalidInputError(f"'{text}' is no Roman numeral.")
    return GraphemeGraph.from_text(text)


def render(graph: AbstractGraph) -> str:
    """Return a numeral as it is written."""
    text = GraphemeGraph.from_graph(graph).to_text()
    parse(text)
    return text


def evidence(graph: AbstractGraph) -> tuple[int, int]:
    """Every letter of a numeral speaks for it."""
    return graph.nodes, 0


ROMAN_BRAIN = Brain(Domain("roman", parse, render), "Roman numerals", evidence)
