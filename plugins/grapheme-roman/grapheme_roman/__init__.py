"""Roman numerals: a brain for grapheme."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grapheme import hookimpl

if TYPE_CHECKING:
    from grapheme.cortex import Brain
    from grapheme.domains import Domain


@hookimpl
def grapheme_domains() -> Iterator[Domain]:
    """Announce how numerals are written."""
    from grapheme_roman.brain import ROMAN_BRAIN

    yield ROMAN_BRAIN.domain


@hookimpl
def grapheme_brains() -> Iterator[Brain]:
    """Announce the brain."""
    from grapheme_roman.brain import ROMAN_BRAIN

    yield ROMAN_BRAIN
