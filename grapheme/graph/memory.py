"""A memory of graphs in one SQLite file: stores them, and finds those most like a given one."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias, final

import numpy as np

from grapheme.backend import Backend
from grapheme.errors import GraphemeError, InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.canonical import canonical_hash, colouring, same_graph
from grapheme.graph.edit_distance import edit_distances
from grapheme.graph.features import FEATURES, Vector, features, nearest
from grapheme.graph.kinds import of_kind
from grapheme.graph.record import from_bytes, to_bytes

if TYPE_CHECKING:
    import aiosqlite

APPLICATION = 0x67726D31
"""Written into the file's header, so that no other database is taken for a memory of graphs."""
WAIT = 60.0
"""Seconds to wait for another process that is writing."""
CANDIDATES = 32
"""Graphs, at least, whose edit distance is bounded to find the most similar ones; four for each one wanted."""
AT_ONCE = 500
"""Graphs to write in one transaction, or to name in one question."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS graphs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    kind TEXT NOT NULL,
    directed INTEGER NOT NULL,
    features BLOB NOT NULL,
    record BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS graphs_by_hash ON graphs (hash);
"""

# Kernels run one recall at a time: not every threading layer of a backend may be entered twice.
_ranking = threading.Lock()

_Row: TypeAlias = tuple[int, str, bytes]
"""Number, kind and record of a stored graph."""


@dataclass(frozen=True)
class Recalled:
    """A graph of the memory, and an interval that holds its edit distance from the one asked for."""

    id: int
    graph: AbstractGraph
    lower: float
    upper: float


@dataclass(frozen=True)
class _Entry:
    """A graph as a row of the table."""

    hash: bytes
    kind: str
    directed: bool
    features: Vector
    record: bytes

    @classmethod
    def of(cls, g: AbstractGraph) -> _Entry:
        if not isinstance(g, AbstractGraph):
            raise InvalidInputError(f"A memory keeps graphs; got {type(g).__name__}.")
        colours = colouring(g)
        return cls(canonical_hash(g, colours), type(g).__name__, g.directed, features(g, colours), to_bytes(g))


@final
class GraphMemory:
    """Graphs in a file, for many tasks and processes at once; ``async with`` closes it.

    A graph that is the same as one stored before, but for the numbers of its nodes, is not stored again. When ``store``
    returns, the graph is on disk. What other processes store is seen at once.
    """

    def __init__(self, path: str | PathLike[str], backend: Backend | str | None = None) -> None:
        self._path, self._backend = Path(path), backend
        self._opening, self._writing, self._reading = asyncio.Lock(), asyncio.Lock(), asyncio.Lock()
        self._connections: tuple[aiosqlite.Connection, aiosqlite.Connection] | None = None
        self._pending: list[tuple[_Entry, asyncio.Future[int]]] = []
        self._flushes: set[asyncio.Task[None]] = set()
        self._ids = np.zeros(0, np.int64)
        self._directed = np.zeros(0, np.bool_)
        self._vectors = np.zeros((0, FEATURES), np.float32)

    async def store(self, g: AbstractGraph) -> int:
        """Keep a graph and return its number; that of the same graph, if it is known already."""
        entry = await asyncio.to_thread(_Entry.of, g)
        stored: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending.append((entry, stored))
        # Whoever comes first writes for all who wait, in a task of its own that no cancelled caller stops.
        flush = asyncio.create_task(self._flush())
        self._flushes.add(flush)
        flush.add_done_callback(self._flushes.discard)
        return await stored

    async def recall(self, g: AbstractGraph, k: int = 1, timeout: float = 0.0) -> list[Recalled]:
        """Return the ``k`` most similar graphs, directed or not as ``g`` is, the most similar first.

        Those with the nearest features are ranked by the upper bound of their edit distance, which gets ``timeout``
        seconds to become exact.
        """
        if k < 1:
            raise InvalidInputError(f"Recall 1 or more graphs; got {k}.")
        entry = await asyncio.to_thread(_Entry.of, g)
        reader = (await self._open())[1]
        same = await _same(reader, entry, g)
        found = [] if same is None else [Recalled(same[0], same[1], 0.0, 0.0)]
        if k > len(found):
            await self._refresh(reader)
            near = await asyncio.to_thread(self._nearest, entry, max(CANDIDATES, 4 * k))
            graphs = await _graphs(reader, [number for number in near if same is None or number != same[0]])
            found += await asyncio.to_thread(self._rank, g, graphs, timeout)
        return found[:k]

    async def count(self) -> int:
        """Return how many graphs the memory holds."""
        rows = await (await self._open())[1].execute_fetchall("SELECT count(*) FROM graphs")
        return int(next(iter(rows))[0])

    async def close(self) -> None:
        """Finish what is being written and close the file."""
        await asyncio.gather(*self._flushes)
        connections, self._connections = self._connections, None
        for connection in connections or ():
            await connection.close()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _open(self) -> tuple[aiosqlite.Connection, aiosqlite.Connection]:
        """Return a connection to write and one to read, which sees only what is written for good."""
        async with self._opening:
            if self._connections is None:
                writer = await _connect(self._path)
                self._connections = writer, await _connect(self._path)
            return self._connections

    async def _flush(self) -> None:
        """Write all graphs that wait, in one transaction."""
        async with self._writing:
            batch, self._pending = self._pending[:AT_ONCE], self._pending[AT_ONCE:]
            if not batch:
                return
            try:
                numbers = await _write((await self._open())[0], [entry for entry, _ in batch])
            except Exception as error:  # each caller gets it, for none of the graphs is stored
                known = isinstance(error, GraphemeError)
                reason = error if known else GraphemeError(f"Cannot store in {self._path}: {error}.")
                for _, stored in batch:
                    if not stored.done():
                        stored.set_exception(reason)
                return
            for (_, stored), number in zip(batch, numbers, strict=True):
                if not stored.done():
                    stored.set_result(number)

    async def _refresh(self, reader: aiosqlite.Connection) -> None:
        """Read the features of graphs stored since; numbers only grow, in the order of transactions."""
        async with self._reading:
            last = int(self._ids[-1]) if len(self._ids) else 0
            question = "SELECT id, directed, features FROM graphs WHERE id > ? ORDER BY id"
            rows = list(await reader.execute_fetchall(question, (last,)))
            if rows:
                vectors = np.frombuffer(b"".join(row[2] for row in rows), np.float32).reshape(-1, FEATURES)
                self._ids = np.append(self._ids, [row[0] for row in rows])
                self._directed = np.append(self._directed, [bool(row[1]) for row in rows])
                self._vectors = np.concatenate([self._vectors, vectors])

    def _nearest(self, entry: _Entry, count: int) -> list[int]:
        ids, directed, vectors = self._ids, self._directed, self._vectors
        alike = np.flatnonzero(directed[: len(ids)] == entry.directed)
        rows = nearest(entry.features, vectors[alike], count)
        return [int(number) for number in ids[alike[rows]]]

    def _rank(self, g: AbstractGraph, graphs: Sequence[tuple[int, AbstractGraph]], timeout: float) -> list[Recalled]:
        with _ranking:
            found = edit_distances([g], [graph for _, graph in graphs], timeout=timeout, backend=self._backend)
        intervals = zip(graphs, found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
        ranked = [Recalled(number, graph, lower, upper) for (number, graph), lower, upper in intervals]
        return sorted(ranked, key=lambda one: (one.upper, one.lower, one.id))


async def _connect(path: Path) -> aiosqlite.Connection:
    """Return a connection to a memory of graphs, new if there is no file."""
    try:
        import aiosqlite
    except ImportError:
        raise GraphemeError("A memory of graphs needs aiosqlite: pip install 'grapheme-nn[memory]'") from None
    connection = await aiosqlite.connect(path, timeout=WAIT, isolation_level=None)
    try:
        await _prepare(connection, path)
    except BaseException as error:
        await connection.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise InvalidInputError(f"{path} cannot be used as a memory of graphs: {error}.") from None
        raise
    return connection


async def _prepare(connection: aiosqlite.Connection, path: Path) -> None:
    """Refuse a database of another kind; make a new one a memory."""
    # Tables before the mark: both come in one transaction, and perhaps right now, from another process.
    ((tables,),) = await connection.execute_fetchall("SELECT count(*) FROM sqlite_schema")
    ((mark,),) = await connection.execute_fetchall("PRAGMA application_id")
    if mark != APPLICATION and (mark or tables):
        raise InvalidInputError(f"{path} is a database, but not a memory of graphs.")
    await connection.execute("PRAGMA journal_mode = WAL")
    # A transaction is on disk before it is acknowledged, even if the power fails.
    await connection.execute("PRAGMA synchronous = FULL")
    if not tables:
        await connection.executescript(f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; {SCHEMA} COMMIT;")


async def _write(writer: aiosqlite.Connection, entries: Sequence[_Entry]) -> list[int]:
    """Write the entries that are new, and return the number of each."""
    await writer.execute("BEGIN IMMEDIATE")
    try:
        known = await _by_hash(writer, [entry.hash for entry in entries])
        ((last,),) = await writer.execute_fetchall("SELECT ifnull(max(id), 0) FROM graphs")
        numbers, new = await asyncio.to_thread(_number, entries, known, last)
        await writer.executemany("INSERT INTO graphs VALUES (?, ?, ?, ?, ?, ?)", new)
        await writer.execute("COMMIT")
    except BaseException:
        await writer.execute("ROLLBACK")
        raise
    return numbers


def _number(
    entries: Sequence[_Entry], known: dict[bytes, list[_Row]], last: int
) -> tuple[list[int], list[tuple[int, bytes, str, int, bytes, bytes]]]:
    """Return the number of each entry, and the rows of new ones; equal hashes are no proof, so the graphs decide."""
    numbers, new = [], []
    for entry in entries:
        alike = known.setdefault(entry.hash, [])
        number = next((at for at, kind, record in alike if _same_record(entry, kind, record)), None)
        if number is None:
            number = last = last + 1
            alike.append((number, entry.kind, entry.record))
            new.append((number, entry.hash, entry.kind, int(entry.directed), entry.features.tobytes(), entry.record))
        numbers.append(number)
    return numbers, new


def _same_record(entry: _Entry, kind: str, record: bytes) -> bool:
    if (kind, record) == (entry.kind, entry.record):
        return True
    return kind == entry.kind and same_graph(from_bytes(entry.record), from_bytes(record))


async def _by_hash(connection: aiosqlite.Connection, hashes: Sequence[bytes]) -> dict[bytes, list[_Row]]:
    """Return number, kind and record of the graphs with these hashes."""
    question = f"SELECT hash, id, kind, record FROM graphs WHERE hash IN ({_marks(hashes)}) ORDER BY id"
    found: dict[bytes, list[_Row]] = {}
    for key, *row in await connection.execute_fetchall(question, hashes):
        found.setdefault(key, []).append((row[0], row[1], row[2]))
    return found


async def _same(reader: aiosqlite.Connection, entry: _Entry, g: AbstractGraph) -> tuple[int, AbstractGraph] | None:
    """Return the stored graph that is the same as ``g``, if there is one."""
    rows = (await _by_hash(reader, [entry.hash])).get(entry.hash, [])
    for number, kind, record in rows:
        if (kind, record) == (entry.kind, entry.record):
            return number, g
        if await asyncio.to_thread(_same_record, entry, kind, record):
            return number, of_kind(kind, from_bytes(record))
    return None


async def _graphs(reader: aiosqlite.Connection, numbers: Sequence[int]) -> list[tuple[int, AbstractGraph]]:
    found: list[tuple[int, AbstractGraph]] = []
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        rows = await reader.execute_fetchall(f"SELECT id, kind, record FROM graphs WHERE id IN ({_marks(some)})", some)
        found += [(number, of_kind(kind, from_bytes(record))) for number, kind, record in rows]
    return found


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
