"""What CuPy says of devices and of CUDA's runtime."""

from __future__ import annotations

from types import SimpleNamespace

from cupy.cuda.device import Device

__all__ = ["Device", "runtime"]

runtime = SimpleNamespace(
    CUDARuntimeError=RuntimeError,
    getDeviceCount=lambda: 1,
    getDeviceProperties=lambda device: {"name": b"C++ compiler", "multiProcessorCount": 1},
    memGetInfo=lambda: (2**30, 2**31),
)
