"""Whole training runs with CUDA kernels, parameters and optimiser behind arrays that refuse numpy."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import grapheme
from grapheme.backend.parallelism import Parallelism
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.testing import assert_same_bits

pytestmark = pytest.mark.usefixtures("stand_in")


def losses(folder, backend, *arguments):
    """Train from the command line for three epochs; return the losses of all."""
    command = [sys.executable, "-m", "grapheme", "train", *arguments, "--backend", backend, "--max-steps", "3"]
    options = ["--dtype", "float64", "--out", str(folder / backend), "--quiet"]
    done = subprocess.run([*command, *options], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    with (folder / backend / "metrics.csv").open() as file:
        return np.array([[float(row["soft_loss"]), float(row["hard_loss"])] for row in csv.DictReader(file)])


def test_the_command_line_trains_life_to_the_oracles_losses(tmp_path):
    actual, expected = (losses(tmp_path, backend, "life") for backend in ("cupy", "numpy"))
    assert len(actual) == 3
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


FORMULAS = {f"{part} and True": part for part in ("x", "y", "not x", "not y", "x and y", "x or y")}
FORMULAS |= {f"False and {part}": "False" for part in FORMULAS.values()}
SAMPLES = {
    "boolean": FORMULAS,
    "code": {f"x = x + {value}": f"x += {value}" for value in range(1, 5)},
    "text": {word: word.replace("ph", "f") for word in ("phone", "photo", "graph", "morph")},
}


def file_of(folder, *domains):
    """A file of the pairs of some domains."""
    pairs = [(domain, *pair) for domain in domains for pair in SAMPLES[domain].items()]
    lines = [json.dumps({"source": {domain: one}, "target": {domain: other}}) for domain, one, other in pairs]
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    return folder / "pairs.jsonl"


@pytest.mark.parametrize(
    ("name", "domains", "options"),
    [
        ("pairs", ("boolean",), ()),
        ("pairs", ("boolean",), ("--loss", "structural")),
        ("cortex", ("code", "text"), ()),
    ],
    ids=["formulas", "formulas, structural loss", "cortex"],
)
def test_the_command_line_trains_networks_to_the_oracles_losses(name, domains, options, tmp_path):
    file = str(file_of(tmp_path, *domains))
    given = ("--pairs", file) if name == "cortex" else (file,)
    actual, expected = (losses(tmp_path, backend, name, *given, *options) for backend in ("cupy", "numpy"))
    assert len(actual) == 3
    assert expected[2, 0] != expected[0, 0]
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


def train(parallelism, shape):
    """Two steps; the losses and the logits at the end."""
    rng = np.random.default_rng(0)
    model = DiffLogicCA.build(1, 1, [8, 4, 2, 1], [2, 1], "zero", seed=5)
    model.set_parameters(rng.normal(size=model.to_host().shape).astype(np.float32), grapheme.get_backend("numpy"))
    trainer = Trainer(model, backend=grapheme.get_backend("cupy", parallelism=parallelism))
    seen = []
    for _ in range(2):
        x, y = rng.random((2, *shape)).round()
        metrics = trainer.step(x, y, 1, rng.random((1, shape[0], *shape[2:])) < 0.6)
        seen += [metrics.soft_loss, metrics.hard_loss]
    return np.array(seen), model.to_host()


@pytest.mark.parametrize("shape", [(2, 1, 91, 92), (30, 1, 22, 25)])
def test_chunks_of_a_batch_give_the_same_bits(shape):
    backend = grapheme.get_backend("cupy")
    assert backend.batch.granularity(*shape[2:]) < shape[0]
    whole, chunked = train(Parallelism(), shape), train(Parallelism(memory=1), shape)
    for one, other in zip(whole, chunked, strict=True):
        assert_same_bits(other, one, "chunks")
