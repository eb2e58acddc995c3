"""Every kernel compiles to machine code for every kind of card since 2018, and keeps its values in registers."""

from __future__ import annotations

import re

import compilers
import pytest
from conftest import REPORT
from grapheme_cupy.sources import FOLDER, OPTIONS, REALS, SOURCES, options, text

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
VARIANTS = [(source, real) for source in SOURCES for real in (REALS if "REAL" in text(source) else (None,))]
AS_CUPY_DOES = ("-ftz=true",)
"""An option that CuPy adds to all others."""
REGISTERS = 65536
"""What a multiprocessor of any of these cards has."""


def most_threads(source, kernel):
    """How many threads a multiprocessor is to hold, by the kernel's launch bounds: those of a block times blocks."""
    bounds = re.search(rf"__launch_bounds__\((\d+), (\d+)\)\s+{kernel}\(", text(source))
    return int(bounds[1]) * int(bounds[2])


@pytest.fixture(scope="module")
def compile_to():
    found = compilers.available()
    if found is None:
        pytest.skip("neither the wheel nvidia-cuda-nvrtc nor nvcc is installed")
    return found


@pytest.mark.parametrize(("source", "real"), VARIANTS)
def test_every_kernel_compiles_for_every_card(compile_to, source, real):
    registers, shared = {}, {}
    for architecture in ARCHITECTURES:
        cubin, kernels = compile_to(text(source), architecture, (*options(real), *AS_CUPY_DOES))
        assert cubin.startswith(b"\x7fELF")
        assert all(name.startswith(source.split(".")[0]) for name in kernels)
        for name, needs in kernels.items():
            assert needs.spilled_bytes == 0, f"{name} spills on {architecture}"
            assert needs.registers * most_threads(source, name) <= REGISTERS, f"{name} is too large for {architecture}"
            registers.setdefault(name, []).append(needs.registers)
            shared[name] = max(shared.get(name, 0), needs.shared_bytes)
    assert len(registers) == text(source).count("__global__")
    for name, numbers in registers.items():
        REPORT.append(
            f"{name:16} {real or '':7} registers {' '.join(map(str, numbers))}, "
            f"{shared[name]} bytes of shared memory, no spills ({' '.join(ARCHITECTURES)})"
        )


def test_a_mistake_in_a_source_is_reported_with_its_line(compile_to):
    with pytest.raises(compilers.CompilationError, match=r'hard.cu"?\(\d+\).*"wrods" is undefined'):
        compile_to(text("hard.cu").replace("word = job % LANES", "word = wrods % LANES"), "sm_80", OPTIONS)


def test_every_source_is_compiled():
    assert {path.name for path in FOLDER.glob("*.cu")} == set(SOURCES)
