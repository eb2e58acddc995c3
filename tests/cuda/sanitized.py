"""Runs Python code in a child process with AddressSanitizer watching every access of a kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def run_sanitized(code):
    """The finished child process; memory of arrays is the child's malloc, which the sanitizer has taken over."""
    library = subprocess.run(["g++", "-print-file-name=libasan.so"], text=True, capture_output=True).stdout.strip()
    if not Path(library).is_absolute():
        pytest.skip("g++ has no AddressSanitizer here")
    environment = {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        "CUDA_ON_CPU_MODE": "memory",
    }
    return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, env=environment)
