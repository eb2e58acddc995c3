from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grapheme.ca import DiffLogicCA
from grapheme.ca.wiring import first_kernel, unique
from grapheme.errors import InvalidInputError


def test_the_first_kernel_pairs_every_neighbour_with_the_centre():
    a, b = first_kernel(np.random.default_rng(0))
    assert sorted(a.tolist()) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert b.tolist() == [4] * 8


@given(st.integers(4, 60), st.integers(0, 200))
def test_unique_pairs_are_distinct_and_read_every_input(inputs, extra):
    outputs = min(-(-inputs // 2) + extra, inputs * (inputs - 1) // 2)
    a, b = unique(inputs, outputs, np.random.default_rng(0))
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    assert len(pairs) == len(a) == outputs
    read = set(a.tolist()) | set(b.tolist())
    assert read >= set(
        range(inputs - inputs % 2)
    )  # the last of an odd number comes only with the second round of pairs


def test_unique_takes_neighbouring_pairs_first_then_those_apart():
    # 4 inputs: (0,1) (2,3), then (1,2), then two apart (0,2) (1,3), then three apart (0,3)
    expected = [{(0, 1), (2, 3)}, {(0, 1), (2, 3), (1, 2)}, {(0, 1), (2, 3), (1, 2), (0, 2)}]
    for outputs, pairs in enumerate(expected, start=2):
        a, b = unique(4, outputs, np.random.default_rng(0))
        assert set(zip(a.tolist(), b.tolist(), strict=True)) == pairs


def test_wires_are_permuted():
    a, _ = unique(64, 32, np.random.default_rng(0))
    assert a.tolist() != sorted(a.tolist())


@pytest.mark.parametrize(("inputs", "outputs", "message"), [(10, 4, "at least 5"), (3, 4, "only 3 pairs")])
def test_impossible_layers_are_refused(inputs, outputs, message):
    with pytest.raises(InvalidInputError, match=message):
        unique(inputs, outputs, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "gates", "evaluations"),
    # the published sizes: parameter rows, and gate evaluations a cell and step
    [("life", 2543, 2543), ("checkerboard", 3040, 4608), ("checkerboard-async", 4064, 5632)],
)
def test_the_experiments_have_the_published_size(name, gates, evaluations):
    from grapheme.training.experiment import experiment

    task = experiment(name)
    netlist = DiffLogicCA.build(task.channels, task.kernels, task.perceive, task.update, task.boundary, seed=0).netlist
    assert (netlist.parameters, netlist.gates) == (gates, evaluations)


def test_widths_may_begin_with_the_input_as_the_published_tables_do():
    short = DiffLogicCA.build(1, 2, [8, 4, 2, 1], [2, 1], seed=3)
    long = DiffLogicCA.build(1, 2, [9, 8, 4, 2, 1], [3, 2, 1], seed=3)
    assert short.netlist.a.tolist() == long.netlist.a.tolist()
    assert short.netlist.param.tolist() == long.netlist.param.tolist()


def test_perception_order_is_centre_then_channel_bit_kernel():
    """Two channels, two kernels, two bits: wires that pick out single features show where each one is."""
    channels, kernels = 2, 2
    rng = np.random.default_rng(0)
    select = np.full((1, 16), -50.0)
    select[0, 3] = 50.0  # pass A through
    perceive = [(rng.normal(size=(kernels, 2, 16)), [0, 1], [4, 4])]
    grids = rng.random((1, channels, 1, 1))
    for channel in range(channels):
        for bit in range(2):
            for kernel in range(kernels):
                feature = channels + (channel * 2 + bit) * kernels + kernel
                update = [(np.repeat(select, channels, 0), [feature] * channels, [0] * channels)]
                model = DiffLogicCA.from_layers(channels, "periodic", perceive, update)
                seen = model.rollout(grids, 1, backend="numpy")[0, 0, 0, 0]
                value = grids[0, channel, 0, 0]  # on a 1x1 torus every neighbour is the cell itself
                weights = np.exp(perceive[0][0][kernel, bit])
                a = b = value
                outcomes = [0, a * b, a - a * b, a, b - a * b, b, a + b - 2 * a * b, a + b - a * b]
                outcomes += [1 - o for o in reversed(outcomes)]
                assert seen == pytest.approx(float(weights @ outcomes / weights.sum()), abs=1e-12)
