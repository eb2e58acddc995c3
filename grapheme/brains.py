"""The brains that ship, announced through the same hook as anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grapheme.hooks import hookimpl

if TYPE_CHECKING:
    from grapheme.cortex.brain import Brain


@hookimpl
def grapheme_brains() -> Iterator[Brain]:
    """Announce the brains."""
    from grapheme.cortex.shipped import CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN

    yield from (CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN)
