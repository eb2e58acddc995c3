"""The one writer of vector instructions: what the passes over floats, words of bits and rows of words are made of.

They are written out as LLVM vectors: left to the compiler, every gate would first check at run time that the rows it
reads and writes do not overlap.
"""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba import types

INT64 = ir.IntType(64)
INT32 = ir.IntType(32)

VECTOR_BYTES = 64
"""Bytes in a vector; the compiler splits it for machines with shorter registers."""

NEGLIGIBLE = {4: 2.0**-80, 8: 2.0**-900}
"""The smallest gradient that is not taken for 0, by the bytes of its dtype."""


def arguments(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Return the arguments of an intrinsic, of arrays the address of their first element."""
    return [
        context.make_array(kind)(context, builder, value=value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(signature.args, args, strict=True)
    ]


class Vectors:
    """Writes instructions on vectors of ``length`` floats, or of words of bits.

    Floats are added and multiplied. Words of bits are XORed and ANDed, which is the same polynomial over bits.
    """

    def __init__(self, builder: Any, element: Any, length: int) -> None:
        self.builder, self.length = builder, length
        self.bits = isinstance(element, ir.IntType)
        self.bytes = element.width // 8 if self.bits else {"float": 4, "double": 8}[str(element)]
        self.kind = ir.VectorType(element, length)
        self.zero = self.constant(0)

    @classmethod
    def of(cls, builder: Any, array: Any) -> Vectors:
        """Return a writer of the longest vectors of an array's elements, given the address of the first of them."""
        element = array.type.pointee
        one = cls(builder, element, 1)
        return cls(builder, element, VECTOR_BYTES // one.bytes)

    def constant(self, value: float) -> Any:
        """Return a vector of the same constant."""
        return ir.Constant(self.kind, [value] * self.length)

    def every(self, scalar: Any) -> Any:
        """Return a vector of the same scalar."""
        undefined = ir.Constant(self.kind, ir.Undefined)
        return self.shuffle(self.builder.insert_element(undefined, scalar, INT32(0)), undefined, [0] * self.length)

    def place(self, row: Any, columns: int, column: int) -> Any:
        """Return the index of an element of an array with so many columns."""
        return self.builder.add(self.builder.mul(row, INT64(columns)), INT64(column))

    def load(self, array: Any, index: Any, length: int | None = None) -> Any:
        """Load a vector, of another ``length`` if one is given, from element ``index`` of an array on."""
        return self.builder.load(self._address(array, index, length), align=self.bytes)

    def store(self, value: Any, array: Any, index: Any) -> None:
        """Store a vector, of any length, from element ``index`` of an array on."""
        self.builder.store(value, self._address(array, index, value.type.count), align=self.bytes)

    def _address(self, array: Any, index: Any, length: int | None) -> Any:
        kind = ir.VectorType(self.kind.element, length or self.length)
        return self.builder.bitcast(self.builder.gep(array, [index]), kind.as_pointer())

    def scalar(self, array: Any, index: Any) -> Any:
        """Load one element of an array into every lane."""
        return self.every(self.builder.load(self.builder.gep(array, [index])))

    def shuffle(self, x: Any, y: Any, order: list[int]) -> Any:
        """Return the lanes ``order`` of two vectors, those of the second counted after those of the first."""
        return self.builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(INT32, len(order)), order))

    def add(self, x: Any, y: Any) -> Any:
        """Return x + y."""
        return self.builder.xor(x, y) if self.bits else self.builder.fadd(x, y)

    def multiply(self, x: Any, y: Any) -> Any:
        """Return x * y."""
        return self.builder.and_(x, y) if self.bits else self.builder.fmul(x, y)

    def multiply_add(self, x: Any, y: Any, z: Any) -> Any:
        """Return x * y + z, in one instruction where the machine has it."""
        if self.bits:
            return self.add(self.multiply(x, y), z)
        return self.builder.fadd(self.builder.fmul(x, y, flags=("contract",)), z, flags=("contract",))

    def invert(self, x: Any) -> Any:
        """Return the words with every bit turned over."""
        return self.builder.xor(x, self.constant(-1))

    def blend(self, old: Any, new: Any, mask: Any) -> Any:
        """Return the bits of ``new`` where the mask has ones, else those of ``old``."""
        return self.builder.xor(old, self.builder.and_(self.builder.xor(old, new), mask))

    def funnel(self, low: Any, high: Any, right: Any, left: Any) -> Any:
        """Return the words ``low`` shifted right, with what ``high`` shifted left puts above them."""
        return self.builder.or_(self.builder.lshr(low, right), self.builder.shl(high, left))

    def flush(self, x: Any) -> Any:
        """Zero the lanes so small that their products would be subnormal: a processor takes a hundred times longer."""
        low, high = (self.constant(sign * NEGLIGIBLE[self.bytes]) for sign in (-1, 1))
        large = self.builder.or_(self.builder.fcmp_ordered("<=", x, low), self.builder.fcmp_ordered(">=", x, high))
        return self.builder.select(large, x, self.zero)

    def any(self, vectors: list[Any]) -> Any:
        """Say whether any lane of any vector is not 0."""
        lanes = [self.builder.fcmp_unordered("!=", vector, self.zero) for vector in vectors]
        both = functools.reduce(self.builder.or_, lanes)
        mask = self.builder.bitcast(both, ir.IntType(self.length))
        return self.builder.icmp_unsigned("!=", mask, mask.type(0))

    def sums(self, vectors: list[Any]) -> Any:
        """Add up the lanes of four vectors into one vector of four: halves are added until four lanes are left.

        The order of these sums is part of the results' last bits.
        """
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


TERMS = 4
"""Coefficients of a gate: those of 1, a, b and ab."""


def write_gate(lanes: int, builder: Any, args: list[Any]) -> None:
    """Write values[out] = c0 + c1*values[a] + c2*values[b] + c3*values[a]*values[b] on rows of ``lanes`` elements."""
    values, a, b, out, coefficients, param = args
    v = Vectors.of(builder, values)
    c0, c1, c2, c3 = (v.scalar(coefficients, v.place(param, TERMS, k)) for k in range(TERMS))
    for lane in range(0, lanes, v.length):
        x, y = v.load(values, v.place(a, lanes, lane)), v.load(values, v.place(b, lanes, lane))
        result = v.multiply_add(y, v.multiply_add(c3, x, c2), v.multiply_add(c1, x, c0))
        v.store(result, values, v.place(out, lanes, lane))
