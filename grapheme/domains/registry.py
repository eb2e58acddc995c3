"""Finds domains by name: those that ship, and those of the brains that plugins bring."""

from __future__ import annotations

from grapheme.domains.boards import BOARD
from grapheme.domains.domain import Domain
from grapheme.domains.formulas import FORMULA
from grapheme.domains.numerals import NUMBER
from grapheme.domains.shipped import CODE, GRAPH, TEXT
from grapheme.domains.statements import MATH
from grapheme.errors import InvalidInputError, nearest
from grapheme.plugins import plugins


def domains() -> dict[str, Domain]:
    """Return the ways to write graphs by name: those that ship, and those of the brains that plugins bring."""
    brought = (brain.domain for _, brain in plugins().collect("grapheme_brains"))
    return {domain.name: domain for domain in (*brought, MATH, CODE, TEXT, FORMULA, NUMBER, BOARD, GRAPH)}


def domain(name: str) -> Domain:
    """Return a domain, or say which there are."""
    known = domains()
    if name not in known:
        raise InvalidInputError(f"There is no domain '{name}'; there are {', '.join(known)}.{nearest(name, known)}")
    return known[name]
