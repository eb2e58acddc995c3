"""Cases for the kernels of the group ``cortex``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from grapheme.backend.selection import get_backend
from grapheme.kernels import CortexKernels
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.testing.case import Case, Named, named
from grapheme.testing.edit_problems import EditProblem, EditSizes, edit_problem

SIZES = {
    "one example": EditSizes(examples=1, nodes=1),
    "directed": EditSizes(examples=9, layers=2),
    "undirected, mean": EditSizes(examples=5, directed=False, mean=True, dtype="float32"),
    "normalised, shared": EditSizes(examples=17, nodes=4, norm=True, shared=True, layers=3),
    "wide": EditSizes(examples=2, nodes=7, width=37, layers=1, norm=True, edge_labels=1, dtype="float32"),
    "no layer": EditSizes(examples=2, layers=0, slots=1, directed=False),
    "no slots": EditSizes(examples=1, nodes=1, slots=0, directed=False, dtype="float32"),
}
"""From one node to widths and numbers of nodes that are no multiple of a warp; groups that are not full."""


def cases() -> Iterator[Case]:
    """Yield every case, smallest batches first."""
    problems = {name: edit_problem(seed, sizes) for seed, (name, sizes) in enumerate(SIZES.items())}
    for name, p in problems.items():
        yield from _network(name, p)
    yield from _brains("three brains", [problems["directed"], problems["undirected, mean"], problems["wide"]])
    yield from _brains("one brain", [problems["normalised, shared"]])
    yield from _brains("small brains", [problems["no slots"], problems["one example"], problems["no layer"]])
    for name, dtype in (("few", "float64"), ("many", "float32")):
        yield from _fusion(name, dtype)


def _network(name: str, p: EditProblem) -> Iterator[Case]:
    """Yield the cases of one network; gradients are random, for kernels are linear in them."""
    encoder = (p.encoder, p.graphs, p.encoder_parameters)
    yield Case(CortexKernels.encode, name, encoder, named("states", "sums"))
    known = _oracle().encode(*encoder)
    yield Case(CortexKernels.encode_grad, name, (*encoder, *known, p.embeddings), named("gradient of the parameters"))
    yield Case(CortexKernels.node_sums, name, (p.graphs, p.embeddings), named("sums"))
    heads = (p.heads, p.edits, p.heads_parameters, p.embeddings)
    yield Case(CortexKernels.edit_scores, name, heads, named("nodes", "slots", "pairs"))
    back = named("gradient of the embeddings", "gradient of the parameters")
    yield Case(CortexKernels.edit_scores_grad, name, (*heads, *p.logits), back)
    losses = named("losses", "gradient of nodes", "gradient of slots", "gradient of pairs")
    yield Case(CortexKernels.edit_loss, name, (p.edits, p.targets, *p.logits), losses)
    structural = (p.edits, p.whole, *p.logits, (1.0, 0.5, 0.25), 5, 0.5)
    yield Case(CortexKernels.structural_loss, name, structural, losses)
    network = (p.encoder, p.heads, p.graphs, p.edits)
    parameters = (p.encoder_parameters, p.heads_parameters)
    yield Case(CortexKernels.learn, name, (*network, p.targets, *parameters, None), _step)
    yield Case(CortexKernels.learn, f"{name}, whole", (*network, p.whole, *parameters, structural[-3:]), _step)


def _brains(name: str, problems: list[EditProblem]) -> Iterator[Case]:
    """Yield the cases of several networks at once."""
    encoders = [p.encoder for p in problems], [p.graphs for p in problems], [p.encoder_parameters for p in problems]
    yield Case(CortexKernels.encode_brains, name, encoders, _of_brains)
    known = _oracle().encode_brains(*encoders)
    grads = [p.embeddings for p in problems]
    yield Case(CortexKernels.encode_brains_grad, name, (*encoders, known, grads), _of_brains)
    heads = [p.heads for p in problems], [p.edits for p in problems], [p.targets for p in problems]
    parameters = [p.heads_parameters for p in problems]
    yield Case(CortexKernels.decode_brains, name, (*heads, parameters, grads), _of_brains)


def _fusion(name: str, dtype: str) -> Iterator[Case]:
    """Yield the cases of fusion; on some samples no brain fires, on some one does."""
    rng = np.random.default_rng(len(name))
    layout = FusionLayout(brains=3, embed=5, hidden=4) if name == "few" else FusionLayout(brains=6, embed=40, hidden=33)
    fired = [np.flatnonzero(rng.random(layout.brains) < share) for share in (0, 1, 0.2, *[0.6] * 18)]
    brains = np.concatenate(fired).astype(np.int32)
    rows = FusionArrays(np.cumsum([0, *map(len, fired)]), brains, rng.uniform(0.2, 1, len(brains)))

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.5, shape).astype(dtype)

    parameters, embeddings = numbers(layout.size), numbers(len(brains), layout.embed)
    start = (layout, rows, parameters, embeddings)
    yield Case(CortexKernels.fuse, name, start, named("sums", "weights", "mixtures", "sums of samples", "contexts"))
    back = (*start, _oracle().fuse(*start), numbers(len(brains)), numbers(len(fired), layout.embed))
    both = named("gradient of the embeddings", "gradient of the parameters")
    yield Case(CortexKernels.fuse_grad, name, back, both)
    parts = named("distances", "shortfalls", "gradient of the distances", "gradient of the shortfalls")
    yield Case(CortexKernels.collaborate, name, (layout, rows, embeddings), parts)


def _step(losses: np.ndarray, logits: tuple[np.ndarray, ...], encoder: np.ndarray, heads: np.ndarray) -> Named:
    names = ("losses", "nodes", "slots", "pairs", "gradient of the encoder", "gradient of the heads")
    return dict(zip(names, (losses, *logits, encoder, heads), strict=True))


def _of_brains(brains: list[Any]) -> Named:
    """Name every array of each brain by its place."""
    found: Named = {}

    def name(what: str, value: Any) -> None:
        if isinstance(value, np.ndarray):
            found[what] = value
        else:
            for place, part in enumerate(value):
                name(f"{what}, {place}", part)

    for place, brain in enumerate(brains):
        name(f"brain {place}", brain)
    return found


def _oracle() -> CortexKernels:
    return get_backend("numpy").cortex
