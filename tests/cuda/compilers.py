"""NVIDIA's compilers, to machine code, without a card: NVRTC from its wheel by ctypes, else nvcc."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Resources:
    """What a kernel needs of a multiprocessor."""

    registers: int
    shared_bytes: int
    spilled_bytes: int


class CompilationError(Exception):
    """The source does not compile; the message is the compiler's."""


def available():
    """The function (source, architecture, options) -> (cubin, resources by kernel) that works here, or None."""
    return nvrtc if _nvrtc_library() else nvcc if shutil.which("nvcc") else None


def nvrtc(source, architecture, options):
    """Compile as CuPy does."""
    library = ctypes.CDLL(_nvrtc_library())
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    wanted = [f"--gpu-architecture={architecture}", "--ptxas-options=-v", *options]
    failed = library.nvrtcCompileProgram(
        program, len(wanted), (ctypes.c_char_p * len(wanted))(*(option.encode() for option in wanted))
    )
    log = _text(library, program, "ProgramLog").rstrip(b"\0").decode()
    if failed:
        raise CompilationError(log)
    cubin = _text(library, program, "CUBIN")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin, resources(log)


def nvcc(source, architecture, options):
    """Compile with the toolkit's own compiler."""
    with tempfile.TemporaryDirectory() as folder:
        text, cubin = Path(folder, "kernel.cu"), Path(folder, "kernel.cubin")
        text.write_text(source)
        command = ["nvcc", "-cubin", "-arch", architecture, "--resource-usage", *options, text, "-o", cubin]
        done = subprocess.run(command, text=True, capture_output=True)
        if done.returncode:
            raise CompilationError(done.stderr)
        return cubin.read_bytes(), resources(done.stdout + done.stderr)


def resources(log):
    """What the assembler says of each kernel."""
    found = {}
    for chunk in log.split("Compiling entry function '")[1:]:
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", chunk)
        shared = re.search(r"(\d+) bytes smem", chunk)
        found[chunk.split("'")[0]] = Resources(
            registers=int(re.search(r"Used (\d+) registers", chunk)[1]),
            shared_bytes=int(shared[1]) if shared else 0,
            spilled_bytes=sum(map(int, spilled.groups())),
        )
    return found


def _text(library, program, what):
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


@functools.cache
def _nvrtc_library():
    """The path of the library in the wheel nvidia-cuda-nvrtc, or None."""
    wheel = importlib.util.find_spec("nvidia")
    folders = wheel.submodule_search_locations if wheel else []
    paths = (path for folder in folders for path in sorted(Path(folder).rglob("libnvrtc.so.*")))
    return next((str(path) for path in paths if ".alt." not in path.name), None)
