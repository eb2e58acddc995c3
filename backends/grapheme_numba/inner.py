"""A decorator for functions that only compiled ones call: without a door for Python they compile a fifth faster."""

from __future__ import annotations

from numba import njit

inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
