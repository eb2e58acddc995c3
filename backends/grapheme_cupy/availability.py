"""Says whether a graphics card can run the kernels, and if not, why; asks CUDA in a child process."""

from __future__ import annotations

import functools
import importlib.util
import subprocess
import sys

OLDEST = 75
"""Compute capability of the oldest cards (Turing, 2018) for which the kernels are compiled in the tests."""

SECONDS = 60
"""How long the child may take; a driver that hangs must not hang the program."""

CHILD = "from grapheme_cupy.availability import answer; answer()"


@functools.cache
def probe() -> str | None:
    """Return why CuPy cannot run here, or None.

    CUDA is asked in a child process: a broken driver may hang or crash, and who has touched CUDA cannot fork.
    """
    for package, name in (("cupy", "CuPy"), ("array_api_compat", "array-api-compat")):
        if importlib.util.find_spec(package) is None:
            return f"{name} is not installed."
    try:
        child = subprocess.run(
            [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"CUDA did not answer within {SECONDS} seconds; see whether nvidia-smi does."
    if child.returncode:
        last = (child.stderr.strip().splitlines() or [f"exit code {child.returncode}"])[-1]
        return f"CuPy fails here ({last})."
    return child.stdout.strip() or None


def answer() -> None:
    """Print why CUDA cannot run here, or nothing; the child process does this."""
    try:
        import cupy
    except ImportError as error:
        print(f"CuPy is installed but does not import ({_line(error)}).")
        return
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        print(_no_device(_line(error)))
        return
    print(_no_device("") if not count else _too_old(int(cupy.cuda.Device().compute_capability)) or _cannot_compile())


def _no_device(message: str) -> str:
    """Return a sentence for CUDA's ``message``."""
    if "InsufficientDriver" in message:
        return "There is no NVIDIA driver, or one too old for this CuPy."
    if "NoDevice" in message or not message:
        return "There is a driver but no NVIDIA card that it can use (is CUDA_VISIBLE_DEVICES set?)."
    return f"CUDA does not start ({message})."


def _too_old(capability: int) -> str:
    if capability >= OLDEST:
        return ""
    return f"The card has compute capability {capability / 10}; the kernels need {OLDEST / 10} or newer."


def _cannot_compile() -> str:
    """Try one small kernel, which needs the compiler and the card."""
    import cupy

    try:
        return "" if int(cupy.arange(4).sum()) == 6 else "The card adds 0 to 3 up to something other than 6."
    except Exception as error:  # whatever is missing, the user is told
        return f"CuPy cannot compile for this card ({_line(error)})."


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
