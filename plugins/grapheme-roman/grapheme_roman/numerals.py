"""Numbers as Roman numerals, in the older form and in the one that is taught today."""

from __future__ import annotations

OLD = ((1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I"))
NEW = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def numeral(number: int, parts: tuple[tuple[int, str], ...]) -> str:
    """Return a number with the largest part that fits first."""
    written = ""
    for value, letters in parts:
        written += letters * (number // value)
        number %= value
    return written
