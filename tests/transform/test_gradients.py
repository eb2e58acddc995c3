"""Every gradient of the oracle against finite differences, and every compiled kernel against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme_numpy.cortex import learn

from grapheme.kernels.graph_arrays import GROUP
from grapheme.testing.edit_problems import EditSizes, edit_problem

SIZES = {
    "directed": EditSizes(),
    "undirected": EditSizes(directed=False),
    "mean": EditSizes(mean=True),
    "norm": EditSizes(norm=True),
    "shared": EditSizes(layers=3, shared=True, norm=True, directed=False),
    "no slots": EditSizes(slots=0, directed=False),
    "two groups": EditSizes(examples=11, nodes=3, width=4),
}
STRUCTURAL = ((1.0, 0.5, 2.0), 20, 0.1)


def agree(function, value, grad, step=1e-6):
    """Hold a gradient against differences of the function: along single numbers, and along all of them at once."""
    rng = np.random.default_rng(0)
    single = np.eye(value.size)[rng.permutation(value.size)[:20]]
    for way in np.concatenate([single, rng.standard_normal((4, value.size))]).reshape(-1, *value.shape):
        expected = (function(value + step * way) - function(value - step * way)) / (2 * step)
        assert (grad * way).sum() == pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(grad).max())


@pytest.fixture(params=SIZES.values(), ids=SIZES.keys())
def problem(request):
    return edit_problem(3, request.param)


def test_message_passing_goes_back_to_every_parameter(problem, oracle):
    p = problem
    encode = oracle.cortex.encode
    states, sums = encode(p.encoder, p.graphs, p.encoder_parameters)
    parts = oracle.cortex.encode_grad(p.encoder, p.graphs, p.encoder_parameters, states, sums, p.embeddings)
    assert parts.shape == (-(-len(p.graphs) // GROUP), p.encoder.size)

    def score(parameters):
        return (encode(p.encoder, p.graphs, parameters)[0][-1] * p.embeddings).sum()

    agree(score, p.encoder_parameters, parts.sum(axis=0))


def test_heads_go_back_to_embeddings_and_parameters(problem, oracle):
    p = problem

    def score(parameters, embeddings):
        out = oracle.cortex.edit_scores(p.heads, p.edits, parameters, embeddings)
        return sum((a * b).sum() for a, b in zip(out, p.logits, strict=True))

    grad, parts = oracle.cortex.edit_scores_grad(p.heads, p.edits, p.heads_parameters, p.embeddings, *p.logits)
    agree(lambda w: score(w, p.embeddings), p.heads_parameters, parts.sum(axis=0))
    agree(lambda x: score(p.heads_parameters, x), p.embeddings, grad)


@pytest.mark.parametrize("loss", ["edit", "structural"])
def test_losses_go_back_to_every_logit(problem, oracle, loss):
    p = problem
    kernel, targets, more = {
        "edit": (oracle.cortex.edit_loss, p.targets, ()),
        "structural": (oracle.cortex.structural_loss, p.whole, STRUCTURAL),
    }[loss]
    losses, *grads = kernel(p.edits, targets, *p.logits, *more)
    assert losses.shape == (len(p.edits),)
    for place in range(3):

        def total(value, place=place):
            logits = [value if i == place else p.logits[i] for i in range(3)]
            return kernel(p.edits, targets, *logits, *more)[0].sum()

        if p.logits[place].size:
            agree(total, p.logits[place], grads[place])


@pytest.mark.parametrize("loss", ["edit", "structural"])
def test_a_whole_step_goes_back_to_every_parameter(problem, loss):
    """In groups, too: the losses of the examples of each, by themselves."""
    p = problem
    targets, settings = (p.targets, None) if loss == "edit" else (p.whole, STRUCTURAL)

    def step(encoder, heads):
        return learn(p.encoder, p.heads, p.graphs, p.edits, targets, encoder, heads, settings)

    losses, _, encoder_parts, heads_parts = step(p.encoder_parameters, p.heads_parameters)
    for group, (encoder_part, heads_part) in enumerate(zip(encoder_parts, heads_parts, strict=True)):
        mine = slice(group * GROUP, (group + 1) * GROUP)
        agree(lambda w, mine=mine: step(w, p.heads_parameters)[0][mine].sum(), p.encoder_parameters, encoder_part)
        agree(lambda w, mine=mine: step(p.encoder_parameters, w)[0][mine].sum(), p.heads_parameters, heads_part)
    assert len(losses) == len(p.graphs)
    assert len(encoder_parts) == -(-len(p.graphs) // GROUP)


def test_a_network_that_knows_nothing_is_as_unsure_as_can_be(problem):
    """With parameters of 0 all choices are equally likely, so an example loses the logarithm of how many it has.

    The gradient of a bias is by how much a choice is likelier than it should be, summed over all that choose.
    """
    p = problem
    classes, kinds = 1 + p.heads.labels, 1 + p.heads.edge_labels
    losses, logits, encoder_parts, heads_parts = learn(
        p.encoder, p.heads, p.graphs, p.edits, p.targets,
        np.zeros(p.encoder.size), np.zeros(p.heads.size), None,
    )  # fmt: skip
    decisions = np.diff(p.edits.offsets) * (1 + p.heads.slots)
    expected = decisions * np.log(classes) + np.diff(p.edits.pair_offsets) * np.log(kinds)
    np.testing.assert_allclose(losses, expected, rtol=1e-12)
    assert not any(part.any() for part in logits)
    assert not encoder_parts.any()
    found = p.heads.views(heads_parts.sum(axis=0))
    wanted = np.bincount(p.targets.nodes, minlength=classes)
    np.testing.assert_allclose(found["node_bias"], len(p.edits.labels) / classes - wanted, atol=1e-12)
    wanted = np.bincount(p.targets.pairs, minlength=kinds)
    np.testing.assert_allclose(found["edge_bias"], len(p.edits.pairs) / kinds - wanted, atol=1e-12)
