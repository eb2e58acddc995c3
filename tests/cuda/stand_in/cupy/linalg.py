"""numpy's linear algebra on arrays of the stand-in."""

import numpy as np

from cupy._array import wrapped_names

globals().update(wrapped_names(np.linalg))
__all__ = [name for name in globals() if not name.startswith("_")]
