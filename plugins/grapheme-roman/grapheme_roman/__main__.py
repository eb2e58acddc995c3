"""Prints pairs of numerals and of words in capitals, from which a cortex learns to tell them apart."""

from __future__ import annotations

import json
import random
import string

from grapheme_roman.numerals import NEW, OLD, numeral

NUMBERS = 1200
LARGEST = 2000


def pairs(seed: int = 0, count: int = NUMBERS) -> list[dict[str, dict[str, str]]]:
    """Return numerals in both forms, and as many words in capitals with the same in small letters."""
    rng = random.Random(seed)
    found = []
    for number in rng.sample(range(1, LARGEST + 1), count):
        found.append({"source": {"roman": numeral(number, OLD)}, "target": {"roman": numeral(number, NEW)}})
        word = "".join(rng.choices(string.ascii_uppercase, k=rng.randint(3, 8)))
        found.append({"source": {"text": word}, "target": {"text": word.lower()}})
    return found


if __name__ == "__main__":
    for pair in pairs():
        print(json.dumps(pair))
