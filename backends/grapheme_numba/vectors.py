"""A gate, and its gradient, on a block of cells as vector instructions."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from grapheme_numba.instructions import TERMS, Vectors, arguments, write_gate

LANES = 32
"""Cells in a block of floats. Changing it changes the order of sums, and so the last bits of a gradient."""

WORDS = 8
"""Words of 64 cells in a block of bits: one of the longest vectors."""


@intrinsic
def gate(typing: Any, values: Any, a: Any, b: Any, out: Any, coefficients: Any, param: Any) -> Any:
    """values[out] = c0 + c1*values[a] + c2*values[b] + c3*values[a]*values[b] on a block of floats or of words."""
    row = types.int64
    signature = types.void(values, row, row, row, coefficients, row)
    lanes = WORDS if isinstance(values.dtype, types.Integer) else LANES

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write_gate(lanes, builder, arguments(context, builder, signature, args))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def gate_grad(
    typing: Any,
    values: Any, a: Any, b: Any, coefficients: Any, param: Any,
    grads: Any, grad_a: Any, grad_b: Any, grad_out: Any, sums: Any,
) -> Any:  # fmt: skip
    """Pull grads[grad_out] back to grads[grad_a], grads[grad_b] and sums[param], and leave zeros in its row."""
    row = types.int64
    signature = types.void(values, row, row, coefficients, row, grads, row, row, row, sums)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = arguments(context, builder, signature, args)
        *_, grads, _, _, grad_out, _ = given
        v = Vectors.of(builder, grads)
        arriving = []
        for lane in range(0, LANES, v.length):
            at = v.place(grad_out, LANES, lane)
            arriving.append(v.flush(v.load(grads, at)))
            v.store(v.zero, grads, at)
        with builder.if_then(v.any(arriving)):  # late in training most gates pass no gradient on
            _spread(v, given, arriving)
        return context.get_dummy_value()

    return signature, generate


def _spread(v: Vectors, args: list[Any], arriving: list[Any]) -> None:
    """Write the instructions that add a gate's gradient to its inputs' rows and its parameter's sums."""
    values, a, b, coefficients, param, grads, grad_a, grad_b, _, sums = args
    c1, c2, c3 = (v.scalar(coefficients, v.place(param, TERMS, k)) for k in (1, 2, 3))
    total: list[Any] = []
    for lane, g in zip(range(0, LANES, v.length), arriving, strict=True):
        x, y = v.load(values, v.place(a, LANES, lane)), v.load(values, v.place(b, LANES, lane))
        for into, slope in ((grad_a, v.multiply_add(c3, y, c1)), (grad_b, v.multiply_add(c3, x, c2))):
            at = v.place(into, LANES, lane)  # loaded after the store of the other: both may be one row
            v.store(v.multiply_add(g, slope, v.load(grads, at)), grads, at)
        gx = v.multiply(g, x)
        terms = [g, gx, v.multiply(g, y), v.multiply(gx, y)]
        total = [v.add(t, term) for t, term in zip(total, terms, strict=True)] if total else terms
    at = v.place(param, TERMS, 0)
    v.store(v.add(v.load(sums, at, TERMS), v.sums(total)), sums, at)
