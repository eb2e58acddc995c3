"""A hard circuit as machine code of its own: a function that takes a row of cells a step, without a loop over gates.

Values stay in registers, and the compiler joins gates into the processor's three-input operations where it has them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding, ir

from grapheme.kernels.netlist import Netlist
from grapheme_numba.registers import allocate

INT64 = ir.IntType(64)
INT32 = ir.IntType(32)
POINTER = INT64.as_pointer()

ARGUMENTS = ("above", "row", "below", "new", "fire", "stride", "words")
"""Addresses of the first word of a row and of its neighbours, of the row to write, of its fire mask; words from one
channel of a row to the next; words in a row."""


@dataclass(frozen=True)
class Straight:
    """The machine code of a circuit."""

    address: int
    engine: Any
    """Keeps the code alive."""


def compiled(netlist: Netlist, codes: np.ndarray, lanes: int, asynchronous: bool) -> Straight:
    """Return the machine code that works on ``lanes`` words at once, kept for the circuits used last."""
    return _compiled(netlist, codes.tobytes(), lanes, asynchronous)


@functools.lru_cache(maxsize=16)
def _compiled(netlist: Netlist, codes: bytes, lanes: int, asynchronous: bool) -> Straight:
    module = ir.Module()
    _write(module, netlist, np.frombuffer(codes, np.uint8), lanes, asynchronous)
    engine = _engine()
    parsed = binding.parse_assembly(str(module))
    engine.add_module(parsed)
    engine.finalize_object()
    return Straight(engine.get_function_address("step_row"), engine)


def _engine() -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features().flatten()
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2, jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _write(module: Any, netlist: Netlist, codes: np.ndarray, lanes: int, asynchronous: bool) -> None:
    """Write the function: a loop over the words of a row, ``lanes`` at a time."""
    signature = ir.FunctionType(ir.VoidType(), [POINTER] * 5 + [INT64] * 2)
    function = ir.Function(module, signature, "step_row")
    for name, argument in zip(ARGUMENTS, function.args, strict=True):
        argument.name = name
        if name == "new":
            argument.add_attribute("noalias")
    entry, body, done = (function.append_basic_block(name) for name in ("entry", "body", "done"))
    ir.IRBuilder(entry).branch(body)
    builder = ir.IRBuilder(body)
    word = builder.phi(INT64, "word")
    word.add_incoming(INT64(0), entry)
    _Row(builder, function.args, word, lanes, asynchronous).step(netlist, codes)
    following = builder.add(word, INT64(lanes))
    word.add_incoming(following, body)
    builder.cbranch(builder.icmp_signed("<", following, function.args[-1]), body, done)
    ir.IRBuilder(done).ret_void()


class _Row:
    """Writes the instructions for ``lanes`` words of a row, beginning at ``word``."""

    def __init__(self, builder: Any, arguments: Any, word: Any, lanes: int, asynchronous: bool) -> None:
        self.builder, self.word, self.asynchronous = builder, word, asynchronous
        *self.rows, self.new, self.fire, self.stride, _ = arguments
        self.kind = ir.VectorType(INT64, lanes)
        self.ones = ir.Constant(self.kind, [-1] * lanes)
        self.zeros = ir.Constant(self.kind, [0] * lanes)

    def step(self, netlist: Netlist, codes: np.ndarray) -> None:
        channels = len(netlist.outputs)
        values: dict[int, Any] = {}

        def node(index: int) -> Any:
            if index not in values:
                values[index] = self.neighbour(*divmod(index, channels))
            return values[index]

        for gate in allocate(netlist).live.tolist():
            a, b = node(int(netlist.a[gate])), node(int(netlist.b[gate]))
            values[netlist.inputs + gate] = self.gate(int(codes[netlist.param[gate]]), a, b)
        for channel, output in enumerate(netlist.outputs.tolist()):
            self.put(channel, node(output))

    def neighbour(self, position: int, channel: int) -> Any:
        """Return the words of neighbour 0..8; those to the left and right are the row, shifted by a cell."""
        row, side = self.rows[position // 3], position % 3 - 1
        centre = self.load(row, channel, 0)
        if side == 0:
            return centre
        beside = self.load(row, channel, side)
        one, rest = (ir.Constant(self.kind, [n] * self.kind.count) for n in (1, 63))
        b = self.builder
        if side < 0:
            return b.or_(b.shl(centre, one), b.lshr(beside, rest))
        return b.or_(b.lshr(centre, one), b.shl(beside, rest))

    def load(self, row: Any, channel: int, offset: int) -> Any:
        return self.builder.load(self.pointer(row, channel, offset), align=8)

    def put(self, channel: int, value: Any) -> None:
        if self.asynchronous:
            b = self.builder
            old = self.load(self.rows[1], channel, 0)
            fire = self.load(self.fire, 0, 0)
            value = b.xor(old, b.and_(b.xor(old, value), fire))
        self.builder.store(value, self.pointer(self.new, channel, 0), align=8)

    def pointer(self, row: Any, channel: int, offset: int) -> Any:
        b = self.builder
        index = b.add(b.mul(self.stride, INT64(channel)), b.add(self.word, INT64(offset)))
        return b.bitcast(b.gep(row, [index]), self.kind.as_pointer())

    def gate(self, code: int, a: Any, b: Any) -> Any:
        """Return the words of an operation; from 8 on, codes are the inverses of 7 down to 0."""
        build = self.builder
        if code >= 8:
            return build.xor(self.gate(15 - code, a, b), self.ones)
        if code in (2, 4):
            code, a, b = 1, *((a, build.xor(b, self.ones)) if code == 2 else (build.xor(a, self.ones), b))
        wire = {0: self.zeros, 3: a, 5: b}
        return wire[code] if code in wire else {1: build.and_, 6: build.xor, 7: build.or_}[code](a, b)
