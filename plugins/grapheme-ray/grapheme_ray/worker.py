"""A worker: an actor that runs the inner backend on whatever part of the work it is given."""

from __future__ import annotations

import logging
import platform
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from grapheme.backend import Backend
from grapheme.backend.selection import get_backend
from grapheme.errors import GraphemeError
from grapheme_ray.cluster import engine
from grapheme_ray.parcel import packed

KEPT = 16
"""Circuits and graphs that a worker keeps, the last ones used."""

Task = Callable[..., Any]
"""(inner backend, what is kept, ...) -> the answer; a function that the worker can import by its name."""

K = TypeVar("K")


@dataclass(frozen=True)
class Kept(Generic[K]):
    """Something that stays the same for many calls: its number, and where to get it.

    A reference costs an exchange two milliseconds, so a worker that has the thing is told the number alone.
    """

    number: int
    reference: Any = None


class Shelf:
    """The last things used, by number; a worker's and its mirror in the team hear of them in the same order."""

    def __init__(self) -> None:
        self._things: OrderedDict[int, Any] = OrderedDict()

    def __contains__(self, number: int) -> bool:
        return number in self._things

    def put(self, number: int, thing: Any) -> None:
        """Add a thing and drop the one not used for longest."""
        self._things[number] = thing
        if len(self._things) > KEPT:
            self._things.popitem(last=False)

    def take(self, number: int) -> Any:
        """Return a thing, the last one used from now on."""
        self._things.move_to_end(number)
        return self._things[number]


@dataclass(frozen=True)
class Failure:
    """What went wrong in a worker, in words."""

    kind: str
    message: str
    place: str
    meant_for_users: bool


@dataclass(frozen=True, eq=False)
class Answer:
    """What a task returned, or why it did not, what was said meanwhile, and how long it took."""

    value: Any
    failure: Failure | None
    said: tuple[str, ...]
    seconds: float


class Worker:
    """Runs tasks one after another; it holds nothing that it could not get again."""

    def __init__(self, inner: str, threads: int, folder: str | None) -> None:
        self._inner, self._threads, self._folder = inner, threads, folder
        self._backend: Backend | None = None
        self._shelf = Shelf()
        self._ear = _Ear()
        log = logging.getLogger("grapheme")
        log.setLevel(logging.INFO)
        log.addHandler(self._ear)

    def run(self, task: Task, kept: Kept[Any] | None, arguments: tuple[Any, ...]) -> Answer:
        """Return what ``task`` makes of the arguments; whatever it raises comes back as words."""
        begun, value, failure = time.perf_counter(), None, None
        try:
            value = packed(task(self._loaded(), self._recall(kept), *arguments), self._folder)
        except Exception as error:
            failure = _failure(error)
        return Answer(value, failure, self._ear.take(), time.perf_counter() - begun)

    def _loaded(self) -> Backend:
        if self._backend is None:
            self._backend = get_backend(self._inner, self._threads)
        return self._backend

    def _recall(self, kept: Kept[Any] | None) -> Any:
        if kept is None:
            return None
        if kept.reference is not None:
            self._shelf.put(kept.number, engine().get(kept.reference))
        return self._shelf.take(kept.number)


class _Ear(logging.Handler):
    """Keeps what the library says until somebody takes it."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._heard.append(self.format(record))

    def take(self) -> tuple[str, ...]:
        heard, self._heard = tuple(self._heard), []
        return heard


def _failure(error: Exception) -> Failure:
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename}, line {last.lineno}, on {platform.node()}"
    message = " ".join(str(error).split())
    return Failure(type(error).__name__, message, place, isinstance(error, GraphemeError))
