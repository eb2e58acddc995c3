"""Cases for the kernels of the group ``cortex`` that edit graphs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grapheme.selection import get_backend
from grapheme.testing.case import Case, Named
from grapheme.testing.edit_problems import EditSizes, edit_problem

SIZES = {
    "directed float64": EditSizes(),
    "undirected float32": EditSizes(directed=False, dtype="float32"),
    "mean, normalised, 3 groups float64": EditSizes(examples=19, mean=True, norm=True),
    "one node, no slots float32": EditSizes(examples=1, nodes=1, slots=0, directed=False, dtype="float32"),
    "shared layers float64": EditSizes(layers=3, shared=True, norm=True, width=5),
    "no layers, many labels float32": EditSizes(layers=0, labels=9, edge_labels=4, dtype="float32"),
}
STRUCTURAL = ((1.0, 0.5, 2.0), 20, 0.1)


def cases() -> Iterator[Case]:
    """Yield every case."""
    oracle = get_backend("numpy")
    for seed, (name, sizes) in enumerate(SIZES.items()):
        p = edit_problem(seed, sizes)
        encoder = (p.encoder, p.graphs, p.encoder_parameters)
        states, sums = oracle.kernel("cortex.encode")(*encoder)
        yield Case("cortex.encode", name, encoder, _states)
        yield Case("cortex.encode_grad", name, (*encoder, states, sums, p.embeddings), _parts)
        heads = (p.heads, p.edits, p.heads_parameters, p.embeddings)
        yield Case("cortex.edit_scores", name, heads, _scores)
        yield Case("cortex.edit_scores_grad", name, (*heads, *p.logits), _grads)
        yield Case("cortex.edit_loss", name, (p.edits, p.targets, *p.logits), _loss)
        yield Case("cortex.structural_loss", name, (p.edits, p.whole, *p.logits, *STRUCTURAL), _loss)


def _states(states: np.ndarray, sums: np.ndarray) -> Named:
    return {"states": states, "sums": sums}


def _parts(parts: np.ndarray) -> Named:
    return {"gradient of the parameters, by group": parts}


def _scores(nodes: np.ndarray, slots: np.ndarray, pairs: np.ndarray) -> Named:
    return {"logits of nodes": nodes, "logits of slots": slots, "logits of pairs": pairs}


def _grads(embeddings: np.ndarray, parts: np.ndarray) -> Named:
    return {"gradient of the embeddings": embeddings, **_parts(parts)}


def _loss(losses: np.ndarray, nodes: np.ndarray, slots: np.ndarray, pairs: np.ndarray) -> Named:
    return {"losses": losses, "gradient of nodes": nodes, "gradient of slots": slots, "gradient of pairs": pairs}
