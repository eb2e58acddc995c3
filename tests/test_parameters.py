from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grapheme.backend import Backend
from grapheme.models.parameters import Parameters


class There(NamedTuple):
    """An array of a device: nothing but its backend can read it."""

    hidden: np.ndarray

    @property
    def shape(self):
        return self.hidden.shape


def device():
    """A backend that counts the arrays that go there and come back."""
    moved = {"there": 0, "back": 0}

    def asarray(array):
        moved["there"] += 1
        return There(array)

    def to_numpy(array):
        moved["back"] += 1
        return array.hidden

    return Backend("device", asarray=asarray, to_numpy=to_numpy), moved


def test_arrays_that_are_at_home_are_not_moved_again():
    backend, moved = device()
    parameters = Parameters({"a": np.arange(3.0), "b": np.ones((2, 2))})
    assert parameters.size == 7
    parameters.on(backend)
    assert moved == {"there": 2, "back": 0}
    parameters.place(backend)
    first, again = parameters.on(backend), parameters.on(backend)
    assert first["a"] is again["a"]
    assert moved == {"there": 4, "back": 0}
    np.testing.assert_array_equal(parameters.tensors()["a"], [0, 1, 2])
    assert moved == {"there": 4, "back": 2}


def test_arrays_go_from_one_backend_to_another_by_the_host():
    (one, moved), (other, _) = device(), device()
    parameters = Parameters({"a": np.arange(3.0)})
    parameters.replace({"a": There(np.array([5.0, 6.0]))}, one)
    parameters.place(other)
    assert moved == {"there": 0, "back": 1}
    np.testing.assert_array_equal(parameters.tensors()["a"], [5, 6])


def test_a_whole_shares_the_arrays_of_its_parts():
    backend, _ = device()
    left, right = Parameters({"w": np.zeros(2)}), Parameters({"fusion": np.zeros(1)})
    whole = Parameters.joined({"left.": left, "": right})
    assert list(whole.tensors()) == ["left.w", "fusion"]
    whole.replace({"left.w": There(np.array([3.0, 4.0])), "fusion": There(np.array([7.0]))}, backend)
    np.testing.assert_array_equal(left.tensors()["w"], [3, 4])
    right.replace({"fusion": There(np.array([8.0]))}, backend)
    np.testing.assert_array_equal(whole.tensors()["fusion"], [8])
