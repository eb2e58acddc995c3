"""The experiments that ship, announced through the same hook as anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grapheme.hooks import hookimpl

if TYPE_CHECKING:
    from grapheme.interfaces import AbstractExperiment


@hookimpl
def grapheme_experiments() -> Iterator[AbstractExperiment]:
    """Announce the experiments."""
    from grapheme.experiments.checkerboard import CHECKERBOARD, CHECKERBOARD_ASYNC
    from grapheme.experiments.cortex import CORTEX
    from grapheme.experiments.edits import edit_experiments
    from grapheme.experiments.letter import LETTER
    from grapheme.experiments.life import LIFE
    from grapheme.experiments.lizard import LIZARD

    yield from (LIFE, CHECKERBOARD, CHECKERBOARD_ASYNC, LIZARD, LETTER, CORTEX, *edit_experiments())
