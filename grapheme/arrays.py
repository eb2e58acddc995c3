"""What an array is here: any object of an array-API namespace, numpy's being the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = Any
"""An array of a backend's own kind; the core touches it only through the backend's ``xp``."""

Namespace: TypeAlias = Any
"""A module that follows the Python array API standard."""

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int32]
Bits: TypeAlias = NDArray[np.bool_]


class ArrayEngine(NamedTuple):
    """Where arrays live: the namespace that computes on them, and the ways to and from arrays of the host."""

    xp: Namespace = np
    asarray: Callable[..., Array] = np.asarray
    to_numpy: Callable[[Array], np.ndarray] = np.asarray
