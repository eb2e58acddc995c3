"""Arrays that hide numpy's and, as CuPy's do, refuse to become or to meet one unless told to."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import numpy as np

from cupy import cuda

ATTRIBUTES = ("shape", "dtype", "size", "ndim", "itemsize", "nbytes", "strides", "flags")
METHODS = (
    "astype",
    "reshape",
    "sum",
    "max",
    "min",
    "mean",
    "copy",
    "ravel",
    "transpose",
    "view",
    "argmax",
    "any",
    "all",
)
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"]
UNARY = ["neg", "pos", "abs", "invert"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


class ndarray:  # noqa: N801 - CuPy's name
    """An array "on the device"."""

    __slots__ = ("_host",)
    __hash__ = None

    def __init__(self, host):
        self._host = host

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` instead.")

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return wrapped(getattr(ufunc, method))(*args, **kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return wrapped(function)(*args, **kwargs)

    def __getattr__(self, name):
        if name in ATTRIBUTES:
            return getattr(self._host, name)
        if name in METHODS:
            return wrapped(getattr(self._host, name))
        raise AttributeError(name)

    def __getitem__(self, index):
        return ndarray(np.asarray(self._host[hidden(index)]))

    def __setitem__(self, index, value):
        self._host[hidden(index)] = hidden(value)

    def __len__(self):
        return len(self._host)

    def __bool__(self):
        return bool(self._host)

    def __float__(self):
        return float(self._host)

    def __int__(self):
        return int(self._host)

    def __repr__(self):
        return f"stand-in {self._host!r}"

    @property
    def device(self):
        return cuda.Device(0)

    @property
    def data(self):
        return SimpleNamespace(ptr=self._host.ctypes.data)

    @property
    def T(self):  # noqa: N802 - CuPy's name
        return ndarray(self._host.T)

    def get(self):
        return self._host.copy()


def hidden(value):
    """The numpy array behind a value, or behind each item of a list or tuple; refuses a bare numpy array."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, list | tuple):
        return type(value)(map(hidden, value))
    return value


def shown(value):
    """What numpy returned as an array of the device; reductions give arrays of no dimension, as CuPy's do."""
    if isinstance(value, np.ndarray | np.generic):
        return ndarray(np.asarray(value))
    if type(value) in (list, tuple):
        return type(value)(map(shown, value))
    return value


def wrapped(function):
    """A function of numpy on arrays of the device."""

    @functools.wraps(function, assigned=("__name__", "__doc__"))
    def call(*args, **kwargs):
        return shown(function(*map(hidden, args), **{name: hidden(value) for name, value in kwargs.items()}))

    return call


def wrapped_names(module):
    """The public names of one of numpy's modules, functions wrapped; types and constants are the same in CuPy."""
    public = {name: getattr(module, name) for name in module.__all__}
    return {
        name: wrapped(value) if callable(value) and not isinstance(value, type) else value
        for name, value in public.items()
    }


def asarray(a, dtype=None, order=None, **ignored):
    """Copy an array of the host to the device; one that is there already stays."""
    if isinstance(a, ndarray) and dtype in (None, a.dtype):
        return a
    host = a._host if isinstance(a, ndarray) else a
    return ndarray(np.array(host, dtype=dtype, order="C"))


def asnumpy(a):
    """Copy an array of the device to the host."""
    return a.get()


def empty(shape, dtype=float):
    """Memory with garbage in it: all bits set, which is NaN in floats."""
    host = np.empty(shape, dtype)
    host.reshape(-1).view(np.uint8)[...] = 1 if host.dtype == np.bool_ else 0xFF
    return ndarray(host)


def _operator(name):
    def operate(self, *others):
        result = getattr(self._host, name)(*map(hidden, others))
        return result if result is NotImplemented else shown(result)

    return operate


for _name in [f"{side}{name}" for name in BINARY for side in ("", "r", "i")] + UNARY + COMPARISONS:
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__"))
