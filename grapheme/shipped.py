"""What ships with grapheme, announced through the same hooks as anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grapheme.plugins.hooks import hookimpl

if TYPE_CHECKING:
    from grapheme.cortex.brain import Brain
    from grapheme.training.experiment import AbstractExperiment


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


@hookimpl
def grapheme_brains() -> Iterator[Brain]:
    """Announce the brains."""
    from grapheme.cortex.shipped import CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN

    yield from (CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN)
