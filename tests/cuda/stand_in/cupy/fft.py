"""numpy's Fourier transforms on arrays of the stand-in."""

import numpy as np

from cupy._array import wrapped_names

globals().update(wrapped_names(np.fft))
__all__ = [name for name in globals() if not name.startswith("_")]
