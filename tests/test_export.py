"""Exported circuits, run by the programs they are for, against the oracle and against automata nobody here wrote."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest

from grapheme.ca import HardCircuit
from grapheme.ca.export.document import start_of
from grapheme.errors import InvalidInputError
from grapheme.testing import random_netlist

from .circuits import XOR, bits, border_checkerboard, circuit, digits, hand_made_life, plain_checkerboard, plain_life

STEPS = 50


def needs(tool):
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed; see .ci/install")


def random_circuit(seed, channels, boundary, gates=40):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 16, gates).astype(np.uint8)
    codes[:16] = np.arange(16)  # every operation is written once
    return HardCircuit(random_netlist(rng, channels, gates, gates), codes, boundary)


CASES = {
    "life": hand_made_life(),
    "life-zero": hand_made_life("zero"),
    "checkerboard": border_checkerboard(),
    "random-torus": random_circuit(1, 2, "periodic"),
    "random-zero": random_circuit(2, 3, "zero"),
}


@pytest.fixture(params=CASES)
def named(request):
    return request.param, CASES[request.param]


def starts(channels, height, width, samples=3):
    return np.random.default_rng(height * 1000 + width).random((samples, channels, height, width)) < 0.4


def test_json_comes_back_the_same(named, tmp_path):
    name, whole = named
    small = whole.simplify([0])
    for exported in (whole, small):
        exported.export(tmp_path / "circuit.json", name=name)
        read = HardCircuit.load(tmp_path / "circuit.json")
        assert read.layout == exported.layout
        assert read.boundary == exported.boundary
        x = starts(whole.channels, 5, 9)
        assert np.array_equal(read.run(x, 7, backend="numpy"), exported.run(x, 7, backend="numpy"))


def test_json_is_as_documented(tmp_path):
    circuit(1, "zero", [(XOR, 1, 7)], [9]).export(tmp_path / "a.json", name="rule 90")
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "format": "grapheme circuit", "version": 1, "name": "rule 90", "start": "random", "boundary": "zero",
        "channels": 1, "kept": [0], "visible": [0], "gates": [[6, 1, 7]], "outputs": [9],
    }  # fmt: skip


GOOD = {
    "format": "grapheme circuit", "version": 1, "name": "x", "start": "random", "boundary": "zero",
    "channels": 1, "kept": [0], "visible": [0], "gates": [[6, 1, 7], [1, 9, 4]], "outputs": [10],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "something"}, 'does not say "format"'),
        ({"version": 2}, "has version 2 of the format; this grapheme reads 1"),
        ({"version": None}, "has version None"),
        ({"gates": [[6, 10, 7], [1, 9, 4]]}, "Gate 0 reads node 10, which is not written before it.*without a cycle"),
        ({"gates": [[6, 9, 7], [1, 9, 4]]}, "Gate 0 reads node 9, which is not written before it"),
        ({"gates": [[6, 1, 7], [1, 99, 4]]}, "Gate 1 reads node 99, but there are only nodes 0 to 10"),
        ({"gates": [[6, -1, 7], [1, 9, 4]]}, "whole numbers from 0 up"),
        ({"gates": [[16, 1, 7], [1, 9, 4]]}, "operation 0 to 15"),
        ({"gates": [[6, 1], [1, 9, 4]]}, "operation 0 to 15"),
        ({"gates": {}}, "must be a list"),
        ({"gates": [[True, 1, 7], [1, 9, 4]]}, "whole numbers"),
        ({"outputs": [11]}, "An output is node 11"),
        ({"outputs": [1, 2]}, "an output for each of its 1 channels; it has 2"),
        ({"kept": [1]}, "kept channels must be some of 0 to 0"),
        ({"kept": []}, "kept channels must be"),
        ({"visible": [3]}, "visible channels must be some of those kept"),
        ({"channels": "many"}, "1 or more channels"),
        ({"boundary": "mirror"}, "'periodic' or 'zero'"),
        ({"name": ""}, '"name" must be a text'),
        ({"start": "middle"}, '"start" must be one of'),
    ],
)
def test_a_bad_circuit_is_refused_in_a_sentence(tmp_path, change, message):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(GOOD))
    HardCircuit.load(path)
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(InvalidInputError, match=message):
        HardCircuit.load(path)


def test_a_file_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InvalidInputError, match="it is not JSON"):
        HardCircuit.load(tmp_path / "a.json")
    with pytest.raises(InvalidInputError, match="Cannot read"):
        HardCircuit.load(tmp_path / "none.json")


def test_an_unknown_format_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(InvalidInputError, match=r"no format 'verilgo'.*Did you mean 'verilog'"):
        hand_made_life().export(tmp_path / "a", "verilgo")
    with pytest.raises(InvalidInputError, match="does not say in which format"):
        hand_made_life().export(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


BENCH = """
module bench;
  reg clock = 0, load = 1;
  reg [{bits}-1:0] starts [0:{samples}-1];
  reg [{bits}-1:0] start;
  wire [{bits}-1:0] state;
  integer sample, step;
  {name}_grid #(.HEIGHT({height}), .WIDTH({width})) grid
    (.clock(clock), .load(load), .start(start), .fire({{{cells}{{1'b1}}}}), .state(state));
  initial begin
    $readmemb("starts.txt", starts);
    for (sample = 0; sample < {samples}; sample = sample + 1) begin
      start = starts[sample]; load = 1; #1 clock = 1; #1 clock = 0; load = 0;
      for (step = 0; step < {steps}; step = step + 1) begin #1 clock = 1; #1 clock = 0; end
      $display("%b", state);
    end
  end
endmodule
"""


@needs("iverilog")
@pytest.mark.parametrize(("height", "width"), [(6, 9), (1, 5)])
def test_verilog_runs_like_the_simulator(named, tmp_path, height, width):
    name, exported = named[0].replace("-", "_"), named[1]
    x = starts(exported.channels, height, width)
    exported.export(tmp_path / "grid.v", name=name)
    cells = x.transpose(0, 2, 3, 1).reshape(len(x), -1)  # cell by cell, its channels together, bit 0 last
    (tmp_path / "starts.txt").write_text(digits(cells[:, ::-1]))
    bench = BENCH.format(
        name=name, bits=cells.shape[1], samples=len(x), height=height, width=width, cells=height * width, steps=STEPS
    )
    (tmp_path / "bench.v").write_text(bench)
    subprocess.run(["iverilog", "-g2005", "-o", "bench", "grid.v", "bench.v"], cwd=tmp_path, check=True)
    printed = subprocess.run(["vvp", "bench"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()
    final = bits(printed)[:, ::-1]
    expected = exported.run(x, STEPS, backend="numpy").transpose(0, 2, 3, 1).reshape(len(x), -1)
    assert np.array_equal(final, expected)


@needs("cc")
@pytest.mark.parametrize("width", [1, 63, 64, 65, 131])
def test_c_runs_like_the_simulator(named, tmp_path, width):
    name, exported = named
    exported.export(tmp_path / "grid.c", name=name)
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-DAUTOMATON_MAIN"]
    subprocess.run(["cc", *flags, "grid.c", "-o", "grid"], cwd=tmp_path, check=True)
    for sample in starts(exported.channels, 5, width):
        done = subprocess.run(
            ["./grid", "5", str(width), str(STEPS)],
            input=digits(sample.reshape(-1, width)),
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        final = bits(done.stdout.split())
        expected = exported.run(sample[None], STEPS, backend="numpy")[0]
        assert np.array_equal(final.reshape(expected.shape), expected)


@needs("cc")
def test_c_life_is_life_by_counting(tmp_path):
    hand_made_life().simplify().export(tmp_path / "life.c", name="life")
    subprocess.run(["cc", "-Wall", "-Werror", "-DAUTOMATON_MAIN", "life.c", "-o", "life"], cwd=tmp_path, check=True)
    grid = starts(1, 20, 70, 1)[0, 0]
    command = ["./life", "20", "70", "2"]
    done = subprocess.run(command, input=digits(grid), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == digits(plain_life(plain_life(grid))) + "\n"
    short = subprocess.run(command, input="01", cwd=tmp_path, capture_output=True, text=True)
    assert short.returncode == 2
    assert short.stderr == "too few cells\n"


def test_dot_names_every_gate_and_wire(tmp_path):
    circuit(1, "zero", [(XOR, 1, 7), (12, 9, 9)], [10]).export(tmp_path / "a.dot", name="rule 90")
    text = (tmp_path / "a.dot").read_text()
    assert text.startswith('digraph "rule 90" {')
    for line in ('label="north, channel 0"', 'label="south, channel 0"', 'label="A XOR B"', 'label="NOT A"',
                 'n1 -> n9 [label="a"];', 'n7 -> n9 [label="b"];', "n9 -> n10;", "n10 -> o0;"):  # fmt: skip
        assert line in text
    assert "n4 " not in text


def test_the_kind_of_start_is_recognised():
    cell = np.zeros((2, 3, 5, 5), bool)
    assert start_of(cell) == "empty"
    cell[:, :, 2, 2] = True
    assert start_of(cell) == "cell"
    assert start_of(starts(2, 5, 5)) == "random"


def test_the_hand_made_checkerboard_is_one():
    """What the tests above and others rely on: from any start, 40 steps on 16x16 end in the pattern."""
    final = border_checkerboard().run(starts(6, 16, 16), 40, backend="numpy")
    assert (final[:, 0] == plain_checkerboard(16, 16)).all() or (final[:, 0] != plain_checkerboard(16, 16)).all()
