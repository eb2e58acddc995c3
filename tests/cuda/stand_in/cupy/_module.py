"""CUDA text compiled with a C++ compiler, and the kernels in it."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from cupy import _settings
from cupy._array import ndarray

RUNTIME = Path(__file__).parents[2] / "runtime"
COMMAND = ("g++", "-x", "c++", "-std=c++17", "-shared", "-fPIC", "-w", "-ffp-contract=off", "-I", str(RUNTIME))
FLAGS = {
    "plain": ("-O1",),
    "races": ("-O1", "-g1", "-fvisibility=hidden", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0"),
    "memory": ("-O1", "-g1", "-fsanitize=address", "-fno-omit-frame-pointer"),
}
KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")
DYNAMIC_SHARED = re.compile(r"extern\s+__shared__\s+([\w\s]+?)\s*(\w+)\s*\[\s*\]\s*;")


class RawModule:
    """Kernels of one source; the text is compiled when one of them is first launched in a mode."""

    def __init__(self, *, code, options=()):
        self.code, self.options = code, options

    def get_function(self, name):
        if name not in KERNEL.findall(self.code):
            raise RuntimeError(f"there is no kernel {name}")
        return RawKernel(self, name)


class RawKernel:
    """One kernel: call it with a grid, a block and arguments."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, grid, block, args, *, shared_mem=0):
        if not isinstance(grid, tuple) or not isinstance(block, tuple):
            raise TypeError("grid and block must be tuples")
        library = load(compiled(self.module.code, self.module.options, _settings.mode))
        library.sim_turns(_settings.ORDERS.index(_settings.order), _settings.seed)
        library.sim_watch_nothing()
        values = [self._value(library, number, argument) for number, argument in enumerate(args)]
        pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        sizes = (ctypes.c_uint * len(values))(*(value.itemsize for value in values))
        launch = getattr(library, f"sim_launch_{self.name}")
        if launch(_three(grid), _three(block), ctypes.c_uint(shared_mem), pointers, sizes, ctypes.c_int(len(values))):
            raise RuntimeError(f"{self.name}: {library.sim_error().decode()}{_lines(library)}")

    def _value(self, library, number, argument):
        """What is passed for an argument: the address of an array, or a number as wide as numpy says."""
        if isinstance(argument, np.generic):
            return np.array(argument)
        if not isinstance(argument, ndarray):
            raise TypeError(f"{self.name}, argument {number}: unsupported type {type(argument)}")
        host = argument._host
        if not host.flags.c_contiguous:
            raise ValueError(f"{self.name}, argument {number}: the array is not contiguous")
        address = host.ctypes.data if host.size else 0
        library.sim_watch(number, ctypes.c_size_t(address), ctypes.c_size_t(host.nbytes), host.itemsize)
        return np.array(address, np.uintp)


@functools.cache
def compiled(code, options, mode):
    """The path of the library of a source, kept in a folder for temporary files under a hash of all that matters."""
    text = DYNAMIC_SHARED.sub(r"\1* \2 = reinterpret_cast<\1*>(sim::dynamic_shared.data());", code)
    doors = "\n".join(f"SIM_KERNEL({name}, {name})" for name in KERNEL.findall(code))
    source = f'#include "cuda_on_cpu.h"\n#line 1 "kernel.cu"\n{text}\n{doors}\n'
    command = (*COMMAND, *FLAGS[mode], *(option for option in options if option.startswith(("-D", "-std"))))
    headers = "".join(path.read_text() for path in sorted(RUNTIME.glob("*.h")))
    key = hashlib.sha256("\0".join((*command, source, headers)).encode()).hexdigest()[:24]
    library = _folder() / f"{key}.so"
    if not library.exists():
        _compile(command, source, library, instrumented=mode == "races")
    return str(library)


@functools.cache
def _folder():
    """Where libraries are kept from one run of the tests to the next; nobody else may have put them there."""
    folder = Path(tempfile.gettempdir()) / f"cuda-on-cpu-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder if folder.stat().st_uid == os.getuid() else Path(tempfile.mkdtemp())


def _compile(command, source, library, instrumented):
    """Compile under another name first: another process may be at the same work."""
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder, "made.so")
        if instrumented:  # the callbacks are in races.h; linking with the flag would bring the compiler's own
            _run([*command, "-c", "-", "-o", f"{folder}/made.o"], source)
            _run(["g++", "-shared", f"{folder}/made.o", "-o", made])
        else:
            _run([*command, "-", "-o", made], source)
        made.rename(library)


def _run(command, text=""):
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


@functools.cache
def load(path):
    """The library at a path."""
    library = ctypes.CDLL(path)
    library.sim_error.restype = ctypes.c_char_p
    return library


def _three(size):
    return (ctypes.c_uint * 3)(*(max(1, int(n)) for n in (*size, 1, 1)[:3]))


def _lines(library):
    """The two source lines of a race, or nothing if there was none."""
    addresses = (ctypes.c_void_p * 2)()
    library.sim_raced_at(addresses)
    if not addresses[0]:
        return ""
    maps = Path("/proc/self/maps").read_text().splitlines()
    base = next(int(line.split("-")[0], 16) for line in maps if library._name in line)
    places = [hex(address - base - 1) for address in addresses]
    found = _run(["addr2line", "-e", library._name, *places]).splitlines()
    return " (" + " and ".join(Path(line.split(" ")[0]).name for line in found) + ")"
