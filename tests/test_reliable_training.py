"""The parts of the reliable recipe: rounding, the choice of hard samples, and exact continuation."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme.experiments.registry import experiment

import grapheme
from grapheme.ca import DiffLogicCA, Trainer, checks
from grapheme.ca.hardest import hardest, wrong_values
from grapheme.ca.parametrisation import TruthTable
from grapheme.ca.rounding import Rounding, constant, rounded_gates
from grapheme.errors import InvalidInputError
from grapheme.training.run import Run, Settings

RISING = Rounding(0.3, 1.0, tolerance=1.0)


def small_trainer(backend, attempt=0, rounding=RISING):
    model = DiffLogicCA.build(2, 3, [8, 4, 2], [12, 8, 4, 2], "zero", 5, "float64")
    return Trainer(
        model, loss_channels=[0], backend=backend, parametrisation=TruthTable(), rounding=rounding,
        noise=(3, attempt),
    )  # fmt: skip


def train(trainer, steps):
    """Take the steps of these numbers; return their losses."""
    batches = {t: np.random.default_rng([7, t]).integers(0, 2, (2, 3, 2, 4, 5)).astype(float) for t in steps}
    return [trainer.step(x, y, 3).soft_loss for x, y in batches.values()]


def test_the_share_is_that_of_the_gates_rounded():
    rng = np.random.default_rng(0)
    assert rounded_gates(0.0, 100, rng) is None
    assert rounded_gates(1.0, 100, rng).all()
    assert rounded_gates(0.3, 100_000, rng).mean() == pytest.approx(0.3, abs=0.01)
    for least, most in ((0.5, 1.5), (-0.1, 0.5), (0.5, 0.4)):
        with pytest.raises(InvalidInputError, match="from 0 to 1"):
            Rounding(least, most)


def test_the_share_rises_while_the_loss_is_small_and_falls_else():
    rounding = Rounding(0.0, 0.5, tolerance=0.05, rise=0.25, fall=0.125)
    shares, share = [], 0.0
    for loss in (0.01, 0.01, 0.01, 0.05, 0.9, 0.9, 0.9, 0.9, 0.9, 0.0499):
        share = rounding.next_share(share, loss)
        shares.append(share)
    assert shares == [0.25, 0.5, 0.5, 0.375, 0.25, 0.125, 0.0, 0.0, 0.0, 0.25]
    assert constant(0.3).next_share(0.3, 0.0) == constant(0.3).next_share(0.3, 9.0) == 0.3


def test_the_hardest_samples_are_chosen_first_among_equals(oracle):
    model = DiffLogicCA.build(1, 1, [8, 4, 2, 1], [2, 1], "periodic", 0, "float64")
    x, y = np.zeros((2, 5, 1, 8, 8))
    for sample, wrong_cells in enumerate([1, 4, 0, 4, 9]):  # zeros stay zeros, so each 1 in the target is an error
        y[sample].reshape(-1)[:wrong_cells] = 1
    problem = checks.problem(model, x, y, 1, None, None)
    wrong = wrong_values(model.harden(), problem, oracle)
    chosen, errors = hardest(problem, wrong, 3)
    assert (errors**2).sum((1, 2, 3)).tolist() == [9, 4, 4]
    assert np.array_equal(chosen.y, y[[4, 1, 3]])
    assert hardest(problem, wrong, 5)[0] is problem
    y[2] = 1  # now 82 of 320 values are wrong: too many to tell what is hard
    problem = checks.problem(model, x, y, 1, None, None)
    chosen, _ = hardest(problem, wrong_values(model.harden(), problem, oracle), 3)
    assert np.array_equal(chosen.y, y[:3])


def test_training_continues_to_the_same_numbers(numba):
    whole = small_trainer(numba)
    losses = train(whole, range(6))
    first, second = small_trainer(numba), small_trainer(numba)
    train(first, range(3))
    second.restore(first.state())
    assert train(second, range(3, 6)) == losses[3:]
    assert second.share == whole.share == pytest.approx(0.36)
    for name, array in whole.state().items():
        assert np.array_equal(array, second.state()[name]), name


def test_attempts_round_different_gates(oracle):
    first, again, second = small_trainer(oracle), small_trainer(oracle), small_trainer(oracle, attempt=1)
    losses = [train(trainer, range(3)) for trainer in (first, again, second)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_with_everything_rounded_the_soft_loss_is_the_hard_loss(oracle):
    trainer = small_trainer(oracle, rounding=constant(1.0))
    trainer.parameters = np.random.default_rng(1).normal(size=trainer.parameters.shape)
    trainer.model.set_parameters(trainer.parametrisation.logits(trainer.parameters, np), oracle)
    x, y = np.random.default_rng(0).integers(0, 2, (2, 3, 2, 4, 5)).astype(float)
    result = trainer.step(x, y, 3)
    assert result.soft_loss == result.hard_loss > 0


def test_numba_equals_the_oracle(oracle, numba):
    own, expected = small_trainer(numba), small_trainer(oracle)
    np.testing.assert_allclose(train(own, range(5)), train(expected, range(5)), rtol=1e-10)
    np.testing.assert_allclose(own.parameters, expected.parameters, atol=1e-8)


def test_the_published_recipe_is_the_published_one(oracle):
    trainer = experiment("life").with_recipe("paper").trainer(0, 0, "float32", oracle)
    optimiser = trainer.optimiser
    assert (optimiser.lr, optimiser.weight_decay, optimiser.betas, optimiser.clip) == (0.05, 0.01, (0.9, 0.99), 100.0)
    assert (optimiser.eps, trainer.share, trainer.rounding) == (1e-8, 0.0, constant(0.0))
    assert trainer.parameters.shape == (2543, 16)
    assert (trainer.parameters[:, 3] == 10).all()
    assert trainer.parameters.sum() == 10 * 2543


@pytest.mark.parametrize(
    ("name", "gates", "evaluations", "epochs"),
    [
        ("life", 2543, 2543, 3000), ("checkerboard", 3040, 4608, 500), ("checkerboard-async", 4064, 5632, 800),
        ("lizard", 4540, 12160, 3500), ("letter", 4600, 8128, 3000),
    ],
)  # fmt: skip
def test_experiments_have_the_published_sizes(oracle, name, gates, evaluations, epochs):
    task = experiment(name).with_recipe("paper")
    netlist = task.trainer(0, 0, "float32", oracle).model.netlist
    assert (netlist.parameters, netlist.gates, task.epochs, task.restarts) == (gates, evaluations, epochs, 0)


def test_the_lizard_has_120_cells_and_stands_in_the_middle():
    task = experiment("lizard")
    start = task.start(np.random.default_rng(0), 1, 128, 20, 20)
    assert start.sum() == 128
    assert start[0, :, 10, 10].all()
    target = task.target(start)
    assert target.sum() == 120
    larger = task.target(np.zeros((1, 128, 40, 40), bool))
    assert np.array_equal(larger[:, :, 10:30, 10:30], target)
    assert larger.sum() == 120


def test_the_letter_has_three_bits_of_colour():
    task = experiment("letter")
    start = task.start(np.random.default_rng(0), 1, 64, 16, 16)
    assert not start.any()
    assert task.target(start).shape == (1, 3, 16, 16)
    assert {tuple(colour) for colour in task.target(start)[0].reshape(3, -1).T.tolist()} == {
        (False, False, False), (True, False, False), (True, True, False), (False, True, True), (False, False, True)
    }  # fmt: skip


def test_an_unknown_recipe_is_refused():
    with pytest.raises(InvalidInputError, match="no recipe 'best'; there are reliable, paper"):
        experiment("life").with_recipe("best")


def test_life_is_learnt_exactly(tmp_path):
    """The default recipe; the circuit then moves a glider on a torus that it never saw."""
    from grapheme.training.loop import train as train_run

    task = experiment("life").with_recipe("reliable")
    settings = Settings("life", 4, "float32", task.epochs, 0, 1000, "reliable")
    run = Run.create(tmp_path / "life", settings)
    outcome = train_run(run, grapheme.get_backend("numba", threads=1), lambda row, progress: None)
    assert outcome.progress.solved
    board = np.zeros((1, 1, 8, 8), bool)
    for y, x in ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
        board[0, 0, y, x] = True
    moved = grapheme.load(run.folder).rollout(board, 4, hard=True, backend="numpy")
    assert np.array_equal(moved, np.roll(board, (1, 1), axis=(-2, -1)))
