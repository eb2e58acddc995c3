"""A model's parameters: named arrays, each an array of one backend at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Self, final

import numpy as np

from grapheme.arrays import Array
from grapheme.backend import Backend
from grapheme.models.model import Tensors


@final
class Parameters:
    """Named arrays that live on the host at first, and then where a backend works.

    They stay there from step to step, so that a training on a graphics card moves them only when they are written.
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._placed = {name: _Placed(np.asarray(array)) for name, array in arrays.items()}

    @classmethod
    def joined(cls, parts: Mapping[str, Parameters]) -> Self:
        """Return the parameters of several parts under one name each, a part's prefix before its own names.

        The parts go on sharing their arrays with the whole: what replaces an array in one replaces it in the other.
        """
        whole = cls({})
        for prefix, part in parts.items():
            whole._placed |= {prefix + name: placed for name, placed in part._placed.items()}
        return whole

    @property
    def size(self) -> int:
        """How many numbers they are together."""
        return sum(math.prod(placed.array.shape) for placed in self._placed.values())

    def tensors(self) -> Tensors:
        """Return all arrays by name, as numpy arrays."""
        return {name: placed.to_host() for name, placed in self._placed.items()}

    def on(self, backend: Backend) -> dict[str, Array]:
        """Return all arrays by name, as arrays of ``backend``."""
        return {name: placed.on(backend) for name, placed in self._placed.items()}

    def place(self, backend: Backend) -> None:
        """Move all arrays to where ``backend`` works."""
        self.replace(self.on(backend), backend)

    def replace(self, arrays: Mapping[str, Array], backend: Backend) -> None:
        """Put arrays of ``backend`` in the place of all that there are."""
        for name, placed in self._placed.items():
            placed.array, placed.home = arrays[name], backend


@final
class _Placed:
    """An array, and the backend that it is an array of; the host's if there is none."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.home: Backend | None = None

    def to_host(self) -> np.ndarray:
        return np.asarray(self.array) if self.home is None else self.home.to_numpy(self.array)

    def on(self, backend: Backend) -> Array:
        return self.array if self.home is backend else backend.asarray(self.to_host())
