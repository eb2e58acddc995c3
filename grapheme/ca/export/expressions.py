"""Operations as expressions of C and of Verilog, which write them alike."""

from __future__ import annotations

EXPRESSIONS = (
    "{zero}", "{a} & {b}", "{a} & ~{b}", "{a}", "~{a} & {b}", "{b}", "{a} ^ {b}", "{a} | {b}",
    "~({a} | {b})", "~({a} ^ {b})", "~{b}", "{a} | ~{b}", "~{a}", "~{a} | {b}", "~({a} & {b})", "~{zero}",
)  # fmt: skip
"""By operation code."""


def expression(code: int, a: str, b: str, zero: str) -> str:
    """Return the operation of two names."""
    return EXPRESSIONS[code].format(a=a, b=b, zero=zero)
