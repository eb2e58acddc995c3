"""Plausible mistakes in kernels that the core can also compose, each of which the conformance suite must notice."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from grapheme_numpy import batch, cortex

from grapheme.backend import Backend
from grapheme.testing import conform

UNBOUNDED = 2**62


def loss_of_every_channel(netlist, coefficients, grids, target, counted, *more):
    return batch.loss_and_grad(netlist, coefficients, grids, target, np.ones_like(counted), *more)


def loss_of_the_mean(*given):
    final, losses, parts = batch.loss_and_grad(*given)
    return final, losses / final[0].size, parts / final[0].size


def loss_of_half_the_squares(*given):
    final, losses, parts = batch.loss_and_grad(*given)
    return final, losses, parts / 2


def loss_of_cells_that_all_fire(*given):
    return batch.loss_and_grad(*given[:-1], None)


def loss_on_a_torus(*given):
    return batch.loss_and_grad(*given[:-2], "periodic", given[-1])


def loss_with_the_gradient_of_the_last_step(netlist, coefficients, grids, target, counted, steps, boundary, fire):
    """As if the state before it did not depend on the coefficients."""
    before = batch.rollout(netlist, coefficients, grids, steps - 1, boundary, fire)[-1]
    last = None if fire is None else fire[-1:]
    return batch.loss_and_grad(netlist, coefficients, before, target, counted, 1, boundary, last)


def loss_without_the_first_sample_in_the_gradient(*given):
    final, losses, parts = batch.loss_and_grad(*given)
    return final, losses, parts[1:]


def errors_of_circuits_that_never_stop(circuits, trial, most):
    return batch.hard_errors(circuits, trial, np.full_like(most, UNBOUNDED))


def errors_of_circuits_that_stop_at_what_they_may(circuits, trial, most):
    return batch.hard_errors(circuits, trial, most - 1)


def errors_of_circuits_that_stop_one_error_late(circuits, trial, most):
    return batch.hard_errors(circuits, trial, most + 1)


def errors_cut_off_at_the_limit(circuits, trial, most):
    return np.minimum(batch.hard_errors(circuits, trial, most), most)


def errors_by_limits_backwards(circuits, trial, most):
    return batch.hard_errors(circuits, trial, np.ascontiguousarray(most[::-1]))


def errors_of_cells_that_all_fire(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, fire=None), most)


def errors_where_nothing_goes_dark(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, dark=None), most)


def errors_of_values_that_do_not_count(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, counted=np.ones_like(trial.counted)), most)


def errors_at_the_end_only(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, first=trial.steps), most)


def errors_from_the_first_step_on(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, first=1), most)


def errors_on_a_torus(circuits, trial, most):
    return batch.hard_errors(circuits, replace(trial, boundary="periodic"), most)


def step_with_an_iteration_too_few(*given):
    *others, settings = given
    return cortex.learn(*others, settings and (settings[0], settings[1] - 1, settings[2]))


def step_in_one_group(*given):
    losses, logits, *parts = cortex.learn(*given)
    return losses, logits, *(part.sum(axis=0, keepdims=True) for part in parts)


def step_with_the_groups_backwards(*given):
    losses, logits, *parts = cortex.learn(*given)
    return losses, logits, *(np.ascontiguousarray(part[::-1]) for part in parts)


def step_that_leaves_the_encoder_alone(*given):
    losses, logits, encoder, heads = cortex.learn(*given)
    return losses, logits, np.zeros_like(encoder), heads


def step_of_the_mean(*given):
    losses, logits, *parts = cortex.learn(*given)
    return losses, logits, *(part / len(losses) for part in parts)


def states_without_the_last_layer(layouts, graphs, parameters):
    found = cortex.encode_brains(layouts, graphs, parameters)
    return [(np.concatenate([states[:-1], states[-2:-1]]), sums) for states, sums in found]


def states_of_brains_backwards(*given):
    return cortex.encode_brains(*(part[::-1] for part in given))


def parts_by_the_first_states(layouts, graphs, parameters, encoded, grads):
    """As if every layer had seen what the first one saw."""
    first = [(np.repeat(states[:1], len(states), axis=0), sums) for states, sums in encoded]
    return cortex.encode_brains_grad(layouts, graphs, parameters, first, grads)


def parts_of_the_first_brain_alone(layouts, graphs, parameters, encoded, grads):
    others = [np.zeros_like(grad) for grad in grads[1:]]
    return cortex.encode_brains_grad(layouts, graphs, parameters, encoded, [grads[0], *others])


def edits_whose_nodes_learn_nothing(*given):
    return [(*seen, np.zeros_like(grad), parts) for *seen, grad, parts in cortex.decode_brains(*given)]


def edits_of_the_mean(*given):
    found = cortex.decode_brains(*given)
    return [(losses, logits, grad, parts / len(losses)) for losses, logits, grad, parts in found]


def edits_of_one_loss(*given):
    """The losses of a brain's samples added up and shared out."""
    found = cortex.decode_brains(*given)
    return [(np.full_like(losses, losses.mean()), *more) for losses, *more in found]


def means_of_nodes(graphs, rows):
    return cortex.node_sums(graphs, rows) / np.diff(graphs.offsets)[:, None].astype(rows.dtype)


def sums_without_the_last_node(graphs, rows):
    return cortex.node_sums(graphs, rows) - rows[graphs.offsets[1:] - 1]


def running_sums(graphs, rows):
    return np.cumsum(cortex.node_sums(graphs, rows), axis=0)


WRONG = {
    "batch.loss_and_grad": [
        loss_of_every_channel, loss_of_the_mean, loss_of_half_the_squares, loss_of_cells_that_all_fire,
        loss_on_a_torus, loss_with_the_gradient_of_the_last_step, loss_without_the_first_sample_in_the_gradient,
    ],
    "batch.hard_errors": [
        errors_of_circuits_that_never_stop, errors_of_circuits_that_stop_at_what_they_may,
        errors_of_circuits_that_stop_one_error_late, errors_cut_off_at_the_limit, errors_by_limits_backwards,
        errors_of_cells_that_all_fire, errors_where_nothing_goes_dark, errors_of_values_that_do_not_count,
        errors_at_the_end_only, errors_from_the_first_step_on, errors_on_a_torus,
    ],
    "cortex.learn": [
        step_with_an_iteration_too_few, step_in_one_group, step_with_the_groups_backwards,
        step_that_leaves_the_encoder_alone, step_of_the_mean,
    ],
    "cortex.encode_brains": [states_without_the_last_layer, states_of_brains_backwards],
    "cortex.encode_brains_grad": [parts_by_the_first_states, parts_of_the_first_brain_alone],
    "cortex.decode_brains": [edits_whose_nodes_learn_nothing, edits_of_the_mean, edits_of_one_loss],
    "cortex.node_sums": [means_of_nodes, sums_without_the_last_node, running_sums],
}  # fmt: skip


@pytest.mark.parametrize(("kernel", "mistake"), [(kernel, mistake) for kernel in WRONG for mistake in WRONG[kernel]])
def test_a_wrong_kernel_is_caught(kernel, mistake):
    group, name = kernel.split(".")
    outcomes = conform(Backend("wrong", **{group: SimpleNamespace(**{name: mistake})}), only=f"{group}.{name}")
    assert {outcome.kernel for outcome in outcomes} == {kernel}
    problems = [outcome.problem for outcome in outcomes if outcome.problem]
    assert problems
    assert not any("raised" in problem for problem in problems)  # a mistake that anybody would notice proves nothing
