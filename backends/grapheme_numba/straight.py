"""A hard circuit as machine code of its own: a function that takes a row of cells a step, without a loop over gates.

Values stay in registers, and the compiler joins gates into the processor's three-input operations where it has them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding, ir

from grapheme.kernels.gates import AND, AND_NOT, FALSE, OR, PASS_A, PASS_B, TRUE, XOR, code_of
from grapheme.kernels.netlist import Netlist
from grapheme_numba.instructions import INT64, Vectors
from grapheme_numba.registers import allocate

POINTER = INT64.as_pointer()

ARGUMENTS = ("above", "row", "below", "new", "fire", "stride", "words")
"""Addresses of the first word of a row and of its neighbours, of the row to write, of its fire mask; words from one
channel of a row to the next; words in a row."""

SIGNATURE = ir.FunctionType(ir.VoidType(), [POINTER] * 5 + [INT64] * 2)
"""What the function takes: ARGUMENTS."""

CENTRE = 1
"""Of the rows above, row and below."""

NOT_AND = code_of(lambda a, b: not a and b)
"""AND_NOT with its inputs swapped."""


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
    function = ir.Function(module, SIGNATURE, "step_row")
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
        self.v, self.word, self.asynchronous = Vectors(builder, INT64, lanes), word, asynchronous
        *self.rows, self.new, self.fire, self.stride, _ = arguments

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
        beside, one, rest = self.load(row, channel, side), self.v.constant(1), self.v.constant(63)
        return self.v.funnel(beside, centre, rest, one) if side < 0 else self.v.funnel(centre, beside, one, rest)

    def load(self, row: Any, channel: int, offset: int) -> Any:
        return self.v.load(row, self.place(channel, offset))

    def put(self, channel: int, value: Any) -> None:
        if self.asynchronous:
            value = self.v.blend(self.load(self.rows[CENTRE], channel, 0), value, self.load(self.fire, 0, 0))
        self.v.store(value, self.new, self.place(channel, 0))

    def place(self, channel: int, offset: int) -> Any:
        """Return the index, in a row, of the words ``offset`` behind those that are worked on."""
        b = self.v.builder
        return b.add(b.mul(self.stride, INT64(channel)), b.add(self.word, INT64(offset)))

    def gate(self, code: int, a: Any, b: Any) -> Any:
        """Return the words of an operation; the inverse of one has the code TRUE less its own, so OR is half-way."""
        v, build = self.v, self.v.builder
        if code > OR:
            return v.invert(self.gate(TRUE - code, a, b))
        if code in (AND_NOT, NOT_AND):
            a, b, code = (a, v.invert(b), AND) if code == AND_NOT else (v.invert(a), b, AND)
        wire = {FALSE: v.zero, PASS_A: a, PASS_B: b}
        return wire[code] if code in wire else {AND: build.and_, XOR: build.xor, OR: build.or_}[code](a, b)
