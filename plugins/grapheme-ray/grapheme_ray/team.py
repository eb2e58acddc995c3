"""The workers as a team: gives each its part, brings the answers back in order, replaces one that died."""

from __future__ import annotations

import functools
import itertools
import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, TypeVarTuple

from grapheme import errors
from grapheme.backend import Backend
from grapheme.errors import BackendError, InvalidInputError
from grapheme_ray import tasks
from grapheme_ray.cluster import connect, engine, one_line, parcels
from grapheme_ray.parcel import opened
from grapheme_ray.settings import Settings
from grapheme_ray.shards import cut
from grapheme_ray.worker import Answer, Failure, Kept, Shelf, Worker

PATIENCE = 3
"""How often a part is given out again when its worker dies."""
NOTICE = 30.0
"""Seconds after which it is said that workers are still awaited."""

log = logging.getLogger("grapheme")

K = TypeVar("K")
R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True, eq=False)
class Call(Generic[R]):
    """A task for one worker, which returns an ``R``."""

    task: Callable[..., R]
    kept: Kept[Any] | None
    arguments: tuple[Any, ...]


def call(task: Callable[[Backend, K, *Arguments], R], kept: Kept[K] | None, *arguments: *Arguments) -> Call[R]:
    """Return a task with what it takes, which the type checker compares; ``kept`` is None for a task of None."""
    return Call(task, kept, arguments)


class Place:
    """A worker as the team sees it: the actor, and what it has on its shelf."""

    def __init__(self, actor: Any) -> None:
        self.actor, self._shelf = actor, Shelf()

    def needs(self, kept: Kept[Any] | None) -> Kept[Any] | None:
        """Return how to name a thing to this worker: without the reference, if it has it."""
        if kept is None:
            return None
        if kept.number in self._shelf:
            self._shelf.take(kept.number)
            return Kept(kept.number)
        self._shelf.put(kept.number, None)
        return kept


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a worker is at, its place in the team, and the worker."""

    index: int
    call: Call[Any]
    place: int
    worker: Place


class Team:
    """Workers that start when the first call is made, and end with this process."""

    def __init__(self, settings: Settings, threads: int) -> None:
        self.settings, self._threads = settings, threads
        self._numbers = itertools.count()
        self._references: weakref.WeakKeyDictionary[object, Kept[Any]] = weakref.WeakKeyDictionary()
        self.granularity = functools.cache(self._granularity)
        self.work = 0.0
        """Seconds that the slowest worker took for its part of the last exchange; the rest of it was overhead."""

    def keep(self, thing: K) -> Kept[K]:
        """Return a thing as calls refer to it; it is sent to a worker once, however many calls name it."""
        self._workers  # noqa: B018 - Ray has to run before it can take anything
        if thing not in self._references:
            self._references[thing] = Kept(next(self._numbers), engine().put(thing))
        return self._references[thing]

    def shards(self, shape: Sequence[int], most: int | None = None) -> list[slice]:
        """Return how a batch of grids (batch, channel, height, width) is cut, into ``most`` shards or one."""
        batch, _, height, width = shape
        return cut(batch, self._at_most(most), self.granularity(height, width))

    def parts(self, items: int, most: int | None = None) -> list[slice]:
        """Return how things that have nothing to do with each other are cut, into ``most`` parts or one."""
        return cut(items, self._at_most(most))

    def exchange(self, calls: Sequence[Call[R]]) -> list[R]:
        """Return the answers in the order of the calls, which go to the workers in turn."""
        self.work = 0.0
        asked = [self._ask(i, call) for i, call in enumerate(calls)]
        try:
            answers = engine().get([reference for _, reference in asked])
        except engine().exceptions.RayError:  # one by one, to find out which
            return [self._answer(i, call, *ask) for i, (call, ask) in enumerate(zip(calls, asked, strict=True))]
        return [self._heard(i % len(self._workers), answer) for i, answer in enumerate(answers)]

    def each(self, waiting: deque[tuple[int, Call[R]]]) -> Iterator[tuple[int, R]]:
        """Yield (which call, its answer) as they come; meanwhile calls may be added and taken away.

        A worker gets the next call when it has answered the last.
        """
        free, busy = deque(range(len(self._workers))), dict[Any, _Asked]()
        while waiting or busy:
            while waiting and free:
                index, call = waiting.popleft()
                place = free.popleft()
                worker, reference = self._ask(place, call)
                busy[reference] = _Asked(index, call, place, worker)
            [ready], _ = engine().wait(list(busy), num_returns=1)
            asked = busy.pop(ready)
            answer = self._answer(asked.place, asked.call, asked.worker, ready)
            free.append(asked.place)
            yield asked.index, answer

    @functools.cached_property
    def _workers(self) -> list[Place]:
        count, threads = self._size()
        connect(self.settings, count * threads)
        if self.settings.address is not None:
            count = self._check_room(threads)
        log.info("Starting %d workers with the backend '%s'.", count, self.settings.inner)
        workers = [self._hire() for _ in range(count)]
        greetings = [worker.actor.run.remote(tasks.echo, None, (None,)) for worker in workers]
        _await(greetings)
        for number, greeting in enumerate(greetings):
            self._heard(number, engine().get(greeting))
        return workers

    @functools.cached_property
    def _folder(self) -> str | None:
        """Where workers of this machine put large arrays."""
        return parcels() if self.settings.address is None else None

    def _at_most(self, most: int | None) -> int:
        """Return how many workers share work that is worth ``most`` of them, or all of them."""
        return len(self._workers) if most is None else min(len(self._workers), max(1, most))

    def _size(self) -> tuple[int, int]:
        """Return how many workers there are to be, and their threads; on a cluster, what is known of it so far."""
        here = self.settings.address is None
        workers = self.settings.workers or (self._threads if here else 1)
        return workers, self.settings.worker_threads or (max(1, self._threads // workers) if here else 1)

    def _check_room(self, threads: int) -> int:
        """Return how many workers the cluster is to have; refuses what it could never hold."""
        processors = int(engine().cluster_resources().get("CPU", 0))
        count = self.settings.workers or processors // threads
        if not 1 <= count * threads <= processors:
            raise InvalidInputError(
                f"The cluster at {self.settings.address} has {processors} processors, "
                f"too few for {count} workers of {threads} threads."
            )
        return count

    def _hire(self) -> Place:
        """Start a worker; here it needs no place of its own, for all belong to this program."""
        _, threads = self._size()
        actor = engine().remote(Worker).options(num_cpus=0 if self.settings.address is None else threads)
        return Place(actor.remote(self.settings.inner, threads, self._folder))

    def _ask(self, index: int, call: Call[Any]) -> tuple[Place, Any]:
        place = self._workers[index % len(self._workers)]
        return place, place.actor.run.remote(call.task, place.needs(call.kept), call.arguments)

    def _answer(self, index: int, call: Call[Any], worker: Place, reference: Any) -> Any:
        """Return an answer; kernels are pure, so a part whose worker died can be given out again."""
        for _ in range(PATIENCE):
            try:
                return self._heard(index % len(self._workers), engine().get(reference))
            except engine().exceptions.RayTaskError as error:  # it was not even begun; all else a worker says in words
                raise BackendError(
                    f"{_last_line(error)}: install what this program uses where the workers are."
                ) from error
            except engine().exceptions.RayError as error:
                reason = one_line(error)
                self._replace(index, worker)
                worker, reference = self._ask(index, call)
        raise BackendError(f"A worker died {PATIENCE} times at the same piece of work; the last time: {reason}")

    def _replace(self, index: int, dead: Place) -> None:
        number = index % len(self._workers)
        if self._workers[number] is dead:  # else another call of this exchange has replaced it already
            log.warning("Worker %d died; another takes its place and repeats its part.", number + 1)
            self._workers[number] = self._hire()

    def _heard(self, number: int, answer: Answer) -> Any:
        """Pass on what a worker said, and return its answer or raise its error."""
        name = f"Worker {number + 1}"
        self.work = max(self.work, answer.seconds)
        for sentence in answer.said:
            log.info("%s: %s", name, sentence)
        if answer.failure is not None:
            raise _error(name, self.settings.inner, answer.failure)
        return opened(answer.value)

    def _granularity(self, height: int, width: int) -> int:
        return self.exchange([call(tasks.granularity, None, height, width)])[0]


def _await(references: list[Any]) -> None:
    """Wait for all answers, and say so if it takes long."""
    ready, waiting = engine().wait(references, num_returns=len(references), timeout=NOTICE)
    if waiting:
        log.info("Waiting for %d of %d workers to find a place.", len(waiting), len(ready) + len(waiting))


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1]


def _error(name: str, inner: str, failure: Failure) -> Exception:
    """Return a worker's failure as an error of this process: the same kind, if it was meant for users."""
    kind = getattr(errors, failure.kind, BackendError) if failure.meant_for_users else BackendError
    if failure.meant_for_users:
        return kind(failure.message)
    return kind(f"{name}: the backend '{inner}' raised {failure.kind}: {failure.message} ({failure.place})")


@functools.cache
def team(settings: Settings, threads: int) -> Team:
    """Return the team for some settings; whoever asks again gets the same workers."""
    return Team(settings, threads)
