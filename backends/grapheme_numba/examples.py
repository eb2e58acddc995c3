"""Examples side by side: each thread takes whole groups of examples, with nobody to wait for.

A group of examples sums up its own gradient, whoever computes it, so that who takes which group, which depends on their
sizes and on the number of threads, changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from grapheme.kernels.csr import Offsets
from grapheme.kernels.graph_arrays import GROUP
from grapheme_numba import schedule

Work = Callable[[np.ndarray], None]
"""Does some groups of a batch, given by their numbers."""


def groups_of(examples: int) -> int:
    """Return how many groups a batch has."""
    return -(-examples // GROUP)


def on_each_thread(offsets: Offsets, work: Work) -> None:
    """Do all groups of a batch whose examples have these offsets."""
    together([offsets], [work])


def together(offsets: Sequence[Offsets], works: Sequence[Work]) -> None:
    """Do all groups of several batches, given the offsets and the work of each."""
    sizes = [_sizes(each) for each in offsets]
    counts = [len(each) for each in sizes]
    if not sum(counts):
        return
    batch_of = np.repeat(np.arange(len(sizes)), counts)
    group_of = np.concatenate([np.arange(count) for count in counts])

    def run(mine: np.ndarray) -> None:
        for batch, work in enumerate(works):
            groups = group_of[mine[batch_of[mine] == batch]]
            if len(groups):
                work(groups)

    schedule.run(run, schedule.largest_first(np.concatenate(sizes)))


def _sizes(offsets: Offsets) -> np.ndarray:
    """Return how many entries (groups,) each group of examples has."""
    return np.diff(np.append(offsets[:-1:GROUP], offsets[-1]))


@njit(cache=True, nogil=True)
def block(part: Any, offset: int, parameters: Any) -> Any:
    """Return the gradient of some ``parameters``, which begins at ``offset`` of ``part (all parameters,)``, as a view.

    It is cut out here and not by numpy for all groups at once, for then numba would not know that it is contiguous.
    """
    return part[offset : offset + parameters.size].reshape(parameters.shape)
