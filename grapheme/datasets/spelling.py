"""Changes of text, a character a node.

- case: ``snake_case_names`` become ``camelCaseNames``;
- reversal: words in capitals are turned round, ``STAR`` to ``RATS``;
- spelling: in lower-case words ``ph`` becomes ``f``, ``ck`` becomes ``k``, ``qu`` becomes ``kw``, ``our`` becomes
  ``or`` and ``ise`` becomes ``ize``.

All three are one function of the text, so they can be learnt together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grapheme.datasets.drawing import Draw, Sizes, any_of, drawn_task, written
from grapheme.domains.shipped import TEXT

Rng = np.random.Generator
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PATTERNS = {"ph": "f", "ck": "k", "qu": "kw", "our": "or", "ise": "ize"}
PLAIN = "abdeglmnoprstvwz"
"""Letters for what stands between patterns: no pattern can arise from them where two parts meet."""


def case(rng: Rng) -> tuple[str, str]:
    """Return a name of two to four parts in both cases."""
    first, *rest = (_letters(rng, PLAIN, 1, 4) for _ in range(rng.integers(2, 5)))
    return "_".join([first, *rest]), first + "".join(part.capitalize() for part in rest)


def reversal(rng: Rng) -> tuple[str, str]:
    """Return a word in capitals, and the same from its end."""
    word = _letters(rng, CAPITALS, 3, 9)
    return word, word[::-1]


def spelling(rng: Rng) -> tuple[str, str]:
    """Return a word with one to three patterns, in both spellings."""
    parts = [_letters(rng, PLAIN, 0, 3)]
    for _ in range(rng.integers(1, 4)):
        parts += [tuple(PATTERNS)[rng.integers(len(PATTERNS))], _letters(rng, PLAIN, 1, 3)]
    return "".join(parts), "".join(PATTERNS.get(part, part) for part in parts)


def _letters(rng: Rng, alphabet: str, least: int, most: int) -> str:
    return "".join(alphabet[i] for i in rng.integers(len(alphabet), size=rng.integers(least, most + 1)))


CHANGES: tuple[Callable[[Rng], tuple[str, str]], ...] = (case, reversal, spelling)
DRAWS: tuple[Draw, ...] = tuple(written(TEXT, change) for change in CHANGES)


SIZES = Sizes(train=1000)
TEXT_CHANGES = tuple(
    drawn_task(f"text-{change.__name__}", f"text: {change.__name__}", TEXT, draw, SIZES)
    for change, draw in zip(CHANGES, DRAWS, strict=True)
)
SPELLING = drawn_task("text", "case, reversal and spelling of text", TEXT, any_of(DRAWS), SIZES)
