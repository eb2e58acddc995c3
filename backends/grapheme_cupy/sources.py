"""The CUDA sources and how they are compiled: once for each dtype, when a kernel is first asked for."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent

OPTIONS = ("-std=c++17", "--fmad=false")
"""Contraction is off, so that bits depend on neither compiler nor card; where it pays, the sources say ``fma``."""

REALS = {"float32": "float", "float64": "double"}
"""What the sources call a dtype."""


def text(name: str) -> str:
    """Return one source with its headers in front; an #include would escape CuPy's cache, which hashes the text."""
    files = ("geometry.cuh", "circuit.cuh", name)
    return "\n".join(f'#line 1 "{file}"\n{(FOLDER / file).read_text(encoding="utf-8")}' for file in files)


@functools.cache
def soft_kernel(name: str, dtype: np.dtype[Any]) -> Any:
    """Return a kernel of soft.cu for grids of ``dtype``."""
    return _module("soft.cu", (*OPTIONS, f"-DREAL={REALS[dtype.name]}")).get_function(name)


@functools.cache
def hard_kernel(name: str) -> Any:
    """Return a kernel of hard.cu."""
    return _module("hard.cu", OPTIONS).get_function(name)


@functools.cache
def _module(name: str, options: tuple[str, ...]) -> Any:
    import cupy  # here, so that the sources can be compiled where there is no CuPy

    return cupy.RawModule(code=text(name), options=options)
