"""A gate, and its gradient, on a block of cells as vector instructions.

They are written out as LLVM vectors: left to the compiler, every gate would first check at run time that the rows it
reads and writes do not overlap.
"""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 32
"""Cells in a block of floats. Changing it changes the order of sums, and so the last bits of a gradient."""

WORDS = 8
"""Words of 64 cells in a block of bits."""

VECTOR_BYTES = 64
"""Bytes in a vector; the compiler splits it for machines with shorter registers."""

NEGLIGIBLE = {4: 2.0**-80, 8: 2.0**-900}
"""The smallest gradient that is not taken for 0, by the bytes of its dtype."""

INT64 = ir.IntType(64)
INT32 = ir.IntType(32)


class _Vectors:
    """Writes the instructions of one gate, a vector at a time, on rows of a workspace ``(rows, lanes)``.

    Floats are added and multiplied. Words of bits are XORed and ANDed, which is the same polynomial over bits.
    """

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder = builder
        self.arrays = {
            index: context.make_array(kind)(context, builder, value=args[index]).data
            for index, kind in enumerate(signature.args)
            if isinstance(kind, types.Array)
        }
        dtype = signature.args[0].dtype
        self.bits = isinstance(dtype, types.Integer)
        self.lanes = WORDS if self.bits else LANES
        self.element = context.get_data_type(dtype)
        self.bytes = dtype.bitwidth // 8
        self.length = VECTOR_BYTES // self.bytes
        self.kind = ir.VectorType(self.element, self.length)
        self.zero = ir.Constant(self.kind, [0] * self.length)

    def address(self, array: int, row: Any, columns: int, column: int, kind: Any) -> Any:
        offset = self.builder.add(self.builder.mul(row, INT64(columns)), INT64(column))
        pointer = self.builder.gep(self.arrays[array], [offset])
        return self.builder.bitcast(pointer, kind.as_pointer())

    def row(self, array: int, row: Any, lane: int) -> Any:
        return self.address(array, row, self.lanes, lane, self.kind)

    def load(self, pointer: Any) -> Any:
        return self.builder.load(pointer, align=self.bytes)

    def store(self, value: Any, pointer: Any) -> None:
        self.builder.store(value, pointer, align=self.bytes)

    def coefficient(self, array: int, param: Any, k: int) -> Any:
        """Coefficient ``k`` of a gate in every lane."""
        scalar = self.builder.load(
            self.builder.gep(self.arrays[array], [self.builder.add(self.builder.mul(param, INT64(4)), INT64(k))])
        )
        undefined = ir.Constant(self.kind, ir.Undefined)
        return self.shuffle(self.builder.insert_element(undefined, scalar, INT32(0)), undefined, [0] * self.length)

    def shuffle(self, x: Any, y: Any, order: list[int]) -> Any:
        return self.builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(INT32, len(order)), order))

    def add(self, x: Any, y: Any) -> Any:
        return self.builder.xor(x, y) if self.bits else self.builder.fadd(x, y)

    def multiply(self, x: Any, y: Any) -> Any:
        return self.builder.and_(x, y) if self.bits else self.builder.fmul(x, y)

    def multiply_add(self, x: Any, y: Any, z: Any) -> Any:
        """X * y + z, in one instruction where the machine has it."""
        if self.bits:
            return self.add(self.multiply(x, y), z)
        return self.builder.fadd(self.builder.fmul(x, y, flags=("contract",)), z, flags=("contract",))

    def flush(self, x: Any) -> Any:
        """Zero the lanes so small that their products would be subnormal: a processor takes a hundred times longer."""
        low, high = (ir.Constant(self.kind, [sign * NEGLIGIBLE[self.bytes]] * self.length) for sign in (-1, 1))
        large = self.builder.or_(self.builder.fcmp_ordered("<=", x, low), self.builder.fcmp_ordered(">=", x, high))
        return self.builder.select(large, x, self.zero)

    def any(self, vectors: list[Any]) -> Any:
        """Say whether any lane of any vector is not 0."""
        lanes = [self.builder.fcmp_unordered("!=", vector, self.zero) for vector in vectors]
        both = functools.reduce(self.builder.or_, lanes)
        mask = self.builder.bitcast(both, ir.IntType(self.length))
        return self.builder.icmp_unsigned("!=", mask, mask.type(0))

    def sums(self, vectors: list[Any]) -> Any:
        """Add up the lanes of four vectors into one vector of four: halves are added until four lanes are left."""
        length = self.length
        while length > 4:
            length //= 2
            low, high = list(range(length)), list(range(length, 2 * length))
            vectors = [self.add(self.shuffle(v, v, low), self.shuffle(v, v, high)) for v in vectors]
        first, second = (
            self.add(self.shuffle(x, y, [0, 4, 1, 5]), self.shuffle(x, y, [2, 6, 3, 7]))
            for x, y in (vectors[:2], vectors[2:])
        )
        return self.add(self.shuffle(first, second, [0, 1, 4, 5]), self.shuffle(first, second, [2, 3, 6, 7]))


@intrinsic
def gate(typing: Any, values: Any, a: Any, b: Any, out: Any, coefficients: Any, param: Any) -> Any:
    """values[out] = c0 + c1*values[a] + c2*values[b] + c3*values[a]*values[b] on a block of floats or of words."""
    row = types.int64
    signature = types.void(values, row, row, row, coefficients, row)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        v = _Vectors(context, builder, signature, args)
        _, a, b, out, _, param = args
        c0, c1, c2, c3 = (v.coefficient(4, param, k) for k in range(4))
        for lane in range(0, v.lanes, v.length):
            x, y = v.load(v.row(0, a, lane)), v.load(v.row(0, b, lane))
            result = v.multiply_add(y, v.multiply_add(c3, x, c2), v.multiply_add(c1, x, c0))
            v.store(result, v.row(0, out, lane))
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
        v = _Vectors(context, builder, signature, args)
        *_, grad_out, _ = args
        arriving = []
        for lane in range(0, v.lanes, v.length):
            pointer = v.row(5, grad_out, lane)
            arriving.append(v.flush(v.load(pointer)))
            v.store(v.zero, pointer)
        with builder.if_then(v.any(arriving)):  # late in training most gates pass no gradient on
            _spread(v, args, arriving)
        return context.get_dummy_value()

    return signature, generate


def _spread(v: _Vectors, args: Any, arriving: list[Any]) -> None:
    """Write the instructions that add a gate's gradient to its inputs' rows and its parameter's sums."""
    _, a, b, _, param, _, grad_a, grad_b, _, _ = args
    c1, c2, c3 = (v.coefficient(3, param, k) for k in (1, 2, 3))
    total: list[Any] = []
    for lane, g in zip(range(0, v.lanes, v.length), arriving, strict=True):
        x, y = v.load(v.row(0, a, lane)), v.load(v.row(0, b, lane))
        for into, slope in ((grad_a, v.multiply_add(c3, y, c1)), (grad_b, v.multiply_add(c3, x, c2))):
            pointer = v.row(5, into, lane)  # loaded after the store of the other: both may be one row
            v.store(v.multiply_add(g, slope, v.load(pointer)), pointer)
        gx = v.multiply(g, x)
        terms = [g, gx, v.multiply(g, y), v.multiply(gx, y)]
        total = [v.add(t, term) for t, term in zip(total, terms, strict=True)] if total else terms
    pointer = v.address(9, param, 4, 0, ir.VectorType(v.element, 4))
    v.store(v.add(v.load(pointer), v.sums(total)), pointer)
