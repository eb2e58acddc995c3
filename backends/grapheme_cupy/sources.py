"""The CUDA sources and how they are compiled: once for each dtype, when a kernel is first asked for."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent

SOURCES = {
    "soft.cu": ("lanes.cuh", "geometry.cuh", "circuit.cuh"),
    "hard.cu": ("lanes.cuh", "geometry.cuh", "circuit.cuh"),
    "degeneracy.cu": ("lanes.cuh", "warps.cuh"),
    "cliques.cu": ("lanes.cuh", "warps.cuh", "lists.cuh"),
    "maximal.cu": ("lanes.cuh", "warps.cuh", "lists.cuh"),
    "edits.cu": ("lanes.cuh", "warps.cuh", "assignment.cuh", "branches.cuh"),
    "subtree.cu": ("lanes.cuh", "warps.cuh", "assignment.cuh", "branches.cuh"),
    "topology.cu": ("threads.cuh",),
    "dag.cu": ("threads.cuh", "lists.cuh"),
    "rows.cu": ("lanes.cuh", "warps.cuh", "threads.cuh"),
    "structure.cu": ("lanes.cuh", "warps.cuh", "sinkhorn.cuh", "soft_graph.cuh"),
}
"""Every source and the headers in front of it."""

OPTIONS = ("-std=c++17", "--fmad=false")
"""Contraction is off, so that bits depend on neither compiler nor card; where it pays, the sources say ``fma``."""

REALS = {"float32": "float", "float64": "double"}
"""What a source that works on floats calls their dtype, as the macro ``REAL``."""


def text(source: str) -> str:
    """Return a source with its headers in front; an #include would escape CuPy's cache, which hashes the text."""
    files = (*SOURCES[source], source)
    return "\n".join(f'#line 1 "{file}"\n{(FOLDER / file).read_text(encoding="utf-8")}' for file in files)


def options(real: str | None) -> tuple[str, ...]:
    """Return the compiler's options for floats of dtype ``real``, or for a source without floats."""
    return OPTIONS if real is None else (*OPTIONS, f"-DREAL={REALS[real]}")


@functools.cache
def kernel(source: str, name: str, dtype: np.dtype[Any] | None = None) -> Any:
    """Return a kernel of a source, for floats of ``dtype`` if it works on floats."""
    return _module(source, None if dtype is None else dtype.name).get_function(name)


@functools.cache
def _module(source: str, real: str | None) -> Any:
    import cupy  # here, so that the sources can be compiled where there is no CuPy

    return cupy.RawModule(code=text(source), options=options(real))
