"""What the host code and the stand-in take for CuPy's is in the real one, which imports without a card."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest
from conftest import STAND_IN
from grapheme_cupy.sources import FOLDER

RULE_OUT = "import sys; sys.path[:] = [path for path in sys.path if 'stand_in' not in path]\n"


def ask_real_cupy(code):
    """What ``code`` prints, as JSON, where ``import cupy`` finds an installed one."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", f"{RULE_OUT}import cupy, json\n{code}"], text=True, capture_output=True, env=environment
    )
    if "No module named 'cupy'" in done.stderr:
        pytest.skip("CuPy is not installed; it imports without a card: pip install cupy-cuda12x")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names_used(path):
    """Every ``cupy.x.y`` in a file, as ["x", "y"]."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if names and isinstance(node, ast.Name) and node.id == "cupy":
            yield names[::-1]


def test_every_name_that_the_host_code_uses_exists():
    used = sorted({tuple(names) for path in FOLDER.glob("*.py") for names in names_used(path)})
    assert ("cuda", "runtime", "memGetInfo") in used
    missing = ask_real_cupy(f"""
import functools
def lacks(names):
    try:
        functools.reduce(getattr, names, cupy)
    except AttributeError:
        return True
print(json.dumps([names for names in {used!r} if lacks(names)]))""")
    assert missing == []


def calls(path):
    """Every call of ``cupy.x.y`` in a file without a star: ["x", "y"], how many arguments by place, which by name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and not any(isinstance(argument, ast.Starred) for argument in node.args):
            names, function = [], node.func
            while isinstance(function, ast.Attribute):
                names.append(function.attr)
                function = function.value
            if names and isinstance(function, ast.Name) and function.id == "cupy":
                yield names[::-1], len(node.args), [keyword.arg for keyword in node.keywords]


def test_every_call_fits_the_signature_of_the_real_function():
    """The stand-in's functions are numpy's, which take more than CuPy's do."""
    used = sorted(
        {(tuple(names), count, tuple(keys)) for path in FOLDER.glob("*.py") for names, count, keys in calls(path)}
    )
    assert (("searchsorted",), 2, ()) in used
    unfit, checked = ask_real_cupy(f"""
import functools, inspect
unfit, checked = [], 0
for names, count, keys in {used!r}:
    try:
        signature = inspect.signature(functools.reduce(getattr, names, cupy))
    except ValueError:  # a compiled function may not tell
        continue
    checked += 1
    try:
        signature.bind(*[None] * count, **dict.fromkeys(keys))
    except TypeError as error:
        unfit.append((names, str(error)))
print(json.dumps([unfit, checked]))""")
    assert unfit == []
    assert checked > len(used) / 2


def test_the_stand_in_promises_nothing_that_cupy_lacks(stand_in):
    from cupy import OWN, _array
    from cupy.cuda import Device, runtime

    own = sorted(OWN)
    array = [*_array.ATTRIBUTES, *_array.METHODS, "device", "data", "T", "get"]
    device = [name for name in vars(Device) if not name.startswith("_")]
    promises = {"cupy": own, "cupy.ndarray": array, "cupy.cuda.Device": device, "cupy.cuda.runtime": [*vars(runtime)]}
    missing = ask_real_cupy(f"""
promises = {promises!r}
lacks = [(of, name) for of, names in promises.items() for name in names if not hasattr(eval(of), name)]
print(json.dumps(lacks))
""")
    assert missing == []


def test_modules_and_kernels_are_called_as_cupy_has_it():
    module, kernel = ask_real_cupy("print(json.dumps([cupy.RawModule.__doc__, cupy.RawKernel.__call__.__doc__]))")
    assert all(f" {name}=" in module.splitlines()[0] for name in ("code", "options"))
    assert "__call__(self, grid, block, args" in kernel
    assert "shared_mem=0" in kernel


def test_the_array_api_wraps_the_real_cupy():
    """Importing the namespace that the backend hands to the core needs no card."""
    names = ["asarray", "astype", "argmax", "clip", "concat", "exp", "matrix_transpose", "maximum", "sqrt", "sum"]
    names += ["take", "zeros_like"]
    code = f"import array_api_compat.cupy as xp; print(json.dumps([n for n in {names!r} if not hasattr(xp, n)]))"
    assert ask_real_cupy(code) == []


def test_the_stand_in_is_not_what_was_asked():
    assert STAND_IN.name == "stand_in"
    assert "stand-in" not in ask_real_cupy("print(json.dumps(cupy.__version__))")
