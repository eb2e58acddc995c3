"""Better assignments by exchanging what two nodes become, as long as that saves more.

An assignment is padded with blanks on both sides, so that a node may also exchange with nothing. All exchanges are
judged at once: what one saves follows from what each node would save alone, and from the edges between the two.
"""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats, Ints

ROUNDS = 100
"""More exchanges than this are not made."""
ENOUGH = 1e-7
"""An exchange has to save more."""


def exchanged(alone: Floats, sources: Floats, targets: Floats, mapping: Ints) -> tuple[Ints, float]:
    """Return the mapping (nodes,), -1 for none, after the best exchange, and the next, until none saves anything.

    ``alone (nodes, others)`` is what a node saves by itself, ``sources (kinds, nodes, nodes)`` times
    ``targets (kinds, others, others)`` what two save together; edges are in there both ways. Also returned is what the
    whole mapping saves.
    """
    nodes, others = alone.shape
    place = _permutation(mapping, others)
    for _ in range(ROUNDS):
        saved, between = _saved(alone, sources, targets, place[:nodes])
        chosen = saved[:, place]
        own = np.diagonal(chosen)
        gain = chosen + chosen.T - own[:, None] - own[None] + between
        i, j = divmod(int(gain.argmax()), len(gain))
        if gain[i, j] <= ENOUGH:
            break
        place[i], place[j] = place[j], place[i]
    kept = np.flatnonzero(place[:nodes] < others)
    by_itself = alone[kept, place[kept]].sum()
    result = np.full(nodes, -1, np.int32)
    result[kept] = place[kept]
    return result, float(own.sum() + by_itself) / 2


def _saved(alone: Floats, sources: Floats, targets: Floats, images: np.ndarray) -> tuple[Floats, Floats]:
    """Return what each node saves by each image, blanks included, and what two save together by those they have.

    Together means both ways round: by their own images, and by each other's.
    """
    nodes, others = alone.shape
    matched = np.flatnonzero(images < others)
    images = images[matched]
    saved, between = np.zeros((2, nodes + others, nodes + others))
    saved[:nodes, :others] = alone + (sources[:, :, matched] @ targets[:, :, images].transpose(0, 2, 1)).sum(axis=0)
    inside = targets[:, images[:, None], images[None]]
    both = sources[:, matched[:, None], matched[None]] * (inside + inside.transpose(0, 2, 1))
    between[np.ix_(matched, matched)] = both.sum(axis=0)
    return saved, between


def _permutation(mapping: Ints, others: int) -> np.ndarray:
    """Return the images of nodes and of blanks; nodes without any get blanks, and blanks what is left."""
    nodes = np.arange(len(mapping))
    kept = mapping >= 0
    free = np.setdiff1d(np.arange(others), mapping)
    return np.concatenate([np.where(kept, mapping, others + nodes), free, others + nodes[kept]])
