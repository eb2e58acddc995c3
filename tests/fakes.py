"""Backends that test the tests: the oracle behind opaque arrays, behind read-only arrays, and wrong on purpose."""

from __future__ import annotations

from types import SimpleNamespace

import array_api_strict as strict
import numpy as np
from grapheme_numpy import batch, cell, cortex

from grapheme.backend import Backend
from grapheme.kernels import GROUPS

DEVICE = strict.Device("device1")
ORACLE = {"cell": cell, "batch": batch, "cortex": cortex}


def on_device(array):
    """An array that, as one on a GPU, refuses to be turned into numpy's."""
    return strict.asarray(np.ascontiguousarray(array), device=DEVICE)


def to_host(array):
    return np.asarray(array.to_device(strict.Device("CPU_DEVICE")))


def wrapped(wrap):
    """The oracle's kernels, each passed through ``wrap(name, kernel)``."""
    return {
        group: SimpleNamespace(**{name: wrap(f"{group}.{name}", getattr(module, name)) for name in GROUPS[group]})
        for group, module in ORACLE.items()
    }


def through_host(name, kernel):
    def run(*args):
        out = kernel(*(to_host(a) if isinstance(a, strict._array_object.Array) else a for a in args))
        if isinstance(out, tuple):
            return tuple(map(on_device, out))
        return out if isinstance(out, int) else on_device(out)

    return run


def opaque():
    """The oracle on arrays that only the array API standard can touch."""
    return Backend("opaque", wrapped(through_host), xp=strict, device="device1", asarray=on_device, to_numpy=to_host)


def read_only():
    """The oracle, returning arrays that cannot be written."""

    def freeze(array):
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
        return array

    def wrap(name, kernel):
        def run(*args):
            out = kernel(*args)
            return tuple(map(freeze, out)) if isinstance(out, tuple) else freeze(out)

        return run

    return Backend("read-only", wrapped(wrap))


def spoil_value(out):
    """One value off by a millionth of itself, or one bit flipped."""
    array = out.copy()
    array.reshape(-1)[-1] = ~array.reshape(-1)[-1] if array.dtype == np.bool_ else array.reshape(-1)[-1] * 1.001 + 1e-3
    return array


class Mistakes:
    """Ways of being wrong: each takes (kernel, args) and answers as a faulty kernel would."""

    calls = 0

    @staticmethod
    def value(kernel, args):
        out = kernel(*args)
        return (*out[:-1], spoil_value(out[-1])) if isinstance(out, tuple) else spoil_value(out)

    @staticmethod
    def shape(kernel, args):
        out = kernel(*args)
        return (out[0][..., :-1], *out[1:]) if isinstance(out, tuple) else out[..., :-1]

    @staticmethod
    def dtype(kernel, args):
        out = kernel(*args)
        return tuple(o.astype(np.float16) for o in out) if isinstance(out, tuple) else out.astype(np.float16)

    @staticmethod
    def raises(kernel, args):
        raise ZeroDivisionError("on purpose")

    @staticmethod
    def mutates(kernel, args):
        out = kernel(*args)
        args[2][...] = 0
        return out

    @classmethod
    def unsteady(cls, kernel, args):
        cls.calls += 1
        out = kernel(*args)
        return Mistakes.value(lambda: out, ()) if cls.calls % 2 == 0 else out


def wrong(which, mistake):
    """A backend with one kernel, the oracle's but for a mistake."""
    group, name = which.split(".")
    kernel = getattr(ORACLE[group], name)
    return Backend("wrong", {group: SimpleNamespace(**{name: lambda *args: mistake(kernel, args)})})
