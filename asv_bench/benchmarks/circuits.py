"""Hard circuits: simplification, repair, evolution, and the Game of Life on a large grid."""

from __future__ import annotations

import numpy as np
from grapheme.experiments.registry import experiment

from grapheme.ca import HardCircuit
from grapheme.ca.genome import Genome, together
from grapheme.ca.mutation import changed
from grapheme.ca.repair import Goal, repaired
from grapheme.experiments.trials import squares
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Trial

from .backends import THREADS, backend_or_skip

SIDE, STEPS = 4096, 50


def life() -> HardCircuit:
    """Return the Game of Life by full adders, 27 gates."""
    gates: list[tuple[int, int, int]] = []

    def gate(code: int, a: int, b: int) -> int:
        gates.append((code, a, b))
        return 8 + len(gates)

    def full(a: int, b: int, c: int) -> tuple[int, int]:
        half = gate(6, a, b)
        return gate(6, half, c), gate(7, gate(1, a, b), gate(1, half, c))

    (s1, c1), (s2, c2), s3, c3 = full(0, 1, 2), full(3, 5, 6), gate(6, 7, 8), gate(1, 7, 8)
    ones, c4 = full(s1, s2, s3)
    t1, f1 = full(c1, c2, c3)
    twos, fours = gate(6, t1, c4), gate(7, f1, gate(1, t1, c4))
    final = gate(1, gate(2, twos, fours), gate(7, ones, 4))
    codes, a, b = np.array(gates).T
    netlist = Netlist.build(9, a, b, np.arange(len(gates)), [final], len(gates))
    return HardCircuit(netlist, codes.astype(np.uint8), "periodic")


class Life:
    """The Game of Life on a large torus, packing and unpacking included."""

    params = (["numba"], THREADS)
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        self.backend = backend_or_skip(backend, threads)
        self.circuit = life()
        self.bits = np.random.default_rng(0).random((1, 1, SIDE, SIDE)) < 0.5
        self.circuit.run(self.bits, STEPS, backend=self.backend)

    def time_fifty_steps(self, backend, threads):
        self.circuit.run(self.bits, STEPS, backend=self.backend)

    def track_billion_cells_a_second(self, backend, threads):
        from timeit import repeat

        spent = min(repeat(lambda: self.time_fifty_steps(backend, threads), number=1, repeat=5))
        return SIDE * SIDE * STEPS / spent / 1e9


class Simplify:
    """Simplification of a circuit with gates to spare."""

    timeout = 300

    def setup(self):
        self.circuit = life()

    def time_life(self):
        self.circuit.simplify()

    def track_gates_of_life(self):
        return self.circuit.simplify().netlist.gates


class Repair:
    """Repair of a lizard's circuit with gates at random: fifty gates are looked at, of 12,160."""

    timeout = 300

    def setup(self):
        task = experiment("lizard").with_recipe("reliable")
        self.backend = backend_or_skip("numba", 1)
        model = task.trainer(0, 0, "float32", self.backend).model
        self.model = model.with_codes(np.random.default_rng(0).integers(0, 16, model.netlist.parameters))
        first = task.first
        self.goal = Goal(first.start, first.wanted[:, list(task.loss_channels)], first.steps)
        self.time_fifty_gates()

    def time_fifty_gates(self):
        repaired(self.model, self.goal, 50, self.backend)


class Evolution:
    """Changed circuits under siege: 400 steps of 64x64 cells firing at random, a square going dark in each."""

    params = (["numba"], THREADS)
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        self.backend, rng = backend_or_skip(backend, threads), np.random.default_rng(0)
        shape = (400, 1, 64, 64)
        start, dark = rng.random((1, 1, 64, 64)) < 0.5, squares(rng, 400, 64, 10)[:, None]
        everywhere = np.ones_like(start)
        self.trial = Trial(start, "periodic", 400, rng.random(shape) < 0.6, dark, start, everywhere, 201)
        self.genome = Genome.of(life(), rng)
        self.circuits = together([changed(self.genome, rng) for _ in range(32)])
        self.most = self.backend.asarray(np.full(32, 2**62))
        self.time_thirty_two_circuits(backend, threads)

    def time_thirty_two_circuits(self, backend, threads):
        self.backend.batch.hard_errors(self.circuits, self.trial, self.most)

    def time_thirty_two_changes(self, backend, threads):
        rng = np.random.default_rng(0)
        together([changed(self.genome, rng) for _ in range(32)])
