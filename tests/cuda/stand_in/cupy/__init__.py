"""A stand-in for CuPy on a machine without a GPU: put its folder in front of the Python path and import cupy.

Arrays live in the host's memory but, as on a card, mix with numpy's only when told to. Raw modules compile the
same CUDA text with a C++ compiler. What is not defined here is numpy's function of that name, wrapped.
"""

from __future__ import annotations

import numpy as np

from cupy import cuda
from cupy._array import asarray, asnumpy, empty, ndarray, wrapped_names
from cupy._module import RawModule

__version__ = "0-stand-in"
OWN = {
    "RawModule": RawModule,
    "array": asarray,
    "asarray": asarray,
    "asnumpy": asnumpy,
    "cuda": cuda,
    "empty": empty,
    "ndarray": ndarray,
}

globals().update(wrapped_names(np) | OWN)
__all__ = [name for name in globals() if not name.startswith("_") and name != "OWN"]
