"""Every gradient of the oracle against finite differences, and every compiled kernel against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

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
