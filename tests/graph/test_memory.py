import asyncio
import signal
import sqlite3
import subprocess
import sys
from itertools import chain

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("aiosqlite")

from grapheme.errors import InvalidInputError
from grapheme.graph import Graph
from grapheme.graph.canonical import canonical_hash, colouring, same_graph
from grapheme.graph.memory import GraphMemory

WRITER = """
import asyncio, sys
from grapheme.graph import Graph
from grapheme.graph.memory import GraphMemory

async def store(memory, first):
    for n in range(first, 100_000, 8):
        await memory.store(Graph.from_edges([(0, 1)], labels=[n, -n]))
        print(n, flush=True)

async def main():
    async with GraphMemory(sys.argv[1]) as memory:
        await asyncio.gather(*(store(memory, first) for first in range(int(sys.argv[2]), int(sys.argv[3]))))

asyncio.run(main())
"""


def renumbered(g, rng):
    order = rng.permutation(g.nodes)
    labels = np.empty(g.nodes, object)
    labels[order] = g.node_labels
    return Graph.from_edges(order[g.edge_list], g.nodes, labels.tolist(), g.directed)


def random_graphs(count, seed):
    """Return small graphs, each with a label that no other has."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        n = int(rng.integers(2, 6))
        edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.5]
        yield Graph.from_edges(edges, n, [number, *rng.integers(3, size=n - 1).tolist()])


def test_fifty_tasks_store_and_recall_ten_thousand_graphs(tmp_path):
    graphs = list(random_graphs(10_000, seed=1))

    async def task(memory, mine):
        numbers = [await memory.store(g) for g in mine]
        for number, g in zip(numbers, mine, strict=True):
            (found,) = await memory.recall(g, 1)
            assert (found.id, found.upper, found.graph) == (number, 0, g)
        return numbers

    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            numbers = await asyncio.gather(*(task(memory, graphs[first::50]) for first in range(50)))
            assert sorted(chain.from_iterable(numbers)) == list(range(1, 10_001))
            assert await memory.count() == 10_000

    asyncio.run(main())


def test_what_was_acknowledged_survives_a_kill(tmp_path):
    path = tmp_path / "m.db"
    with subprocess.Popen([sys.executable, "-c", WRITER, path, "0", "8"], stdout=subprocess.PIPE, text=True) as writer:
        acknowledged = [int(writer.stdout.readline()) for _ in range(100)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]

    async def main():
        async with GraphMemory(path) as memory:
            for n in acknowledged:
                (found,) = await memory.recall(Graph.from_edges([(0, 1)], labels=[n, -n]))
                assert found.upper == 0

    asyncio.run(main())


def test_processes_write_side_by_side(tmp_path):
    path = tmp_path / "m.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, str(k), str(k + 1)], stdout=subprocess.PIPE, text=True)
        for k in range(2)
    ]
    stored = [int(writer.stdout.readline()) for _ in range(25) for writer in writers]
    for writer in writers:
        writer.kill()
        stored += [int(line) for line in writer.stdout if line.endswith("\n")]
        writer.wait()

    async def main():
        async with GraphMemory(path) as memory:
            assert await memory.count() >= len(stored) >= 50
            for n in stored:
                assert (await memory.recall(Graph.from_edges([(0, 1)], labels=[n, -n])))[0].upper == 0

    asyncio.run(main())


def test_duplicates_are_recognised_whatever_their_numbering(tmp_path):
    graphs = list(random_graphs(20, seed=2))
    rng = np.random.default_rng(3)

    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            first = await asyncio.gather(*(memory.store(g) for g in graphs))
            again = await asyncio.gather(*(memory.store(renumbered(g, rng)) for g in graphs))
            assert first == again
            assert await memory.count() == 20

    asyncio.run(main())


def test_graphs_of_one_hash_are_kept_apart(tmp_path):
    hexagon = Graph.from_networkx(nx.cycle_graph(6))
    triangles = Graph.from_networkx(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)))
    assert canonical_hash(hexagon, colouring(hexagon)) == canonical_hash(triangles, colouring(triangles))

    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            numbers = [await memory.store(g) for g in (hexagon, triangles, hexagon)]
            assert numbers == [1, 2, 1]
            assert (await memory.recall(triangles))[0].id == 2

    asyncio.run(main())


def test_being_the_same_graph_is_what_networkx_says():
    atlas = [g for g in nx.graph_atlas_g() if g.number_of_nodes() == 5]
    rng = np.random.default_rng(4)
    for g in atlas:
        order = dict(zip(g, rng.permutation(5).tolist(), strict=True))
        other = atlas[rng.integers(len(atlas))]
        left, copy, right = map(Graph.from_networkx, (g, nx.relabel_nodes(g, order), other))
        assert same_graph(left, copy)
        assert same_graph(left, right) == nx.is_isomorphic(g, other)


def test_the_nearest_graphs_come_first(tmp_path):
    paths = [Graph.from_networkx(nx.path_graph(n)) for n in range(2, 11)]

    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            for g in paths:
                await memory.store(g)
            found = await memory.recall(paths[5], 3, timeout=600)
            assert [one.graph.nodes for one in found] == [7, 6, 8]
            assert [one.upper for one in found] == [0, 2, 2]
            for one in await memory.recall(paths[5], 9):
                assert one.lower <= abs(2 * (one.graph.nodes - 7)) <= one.upper

    asyncio.run(main())


def test_labels_of_every_kept_kind_come_back(tmp_path):
    labels = [None, True, 1.5, 7, "é\ud800", ("a", (1, None))]
    g = Graph.from_edges([(0, 1), (1, 1)], labels=labels, directed=True, edge_labels=["x", ("y", 2)])

    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            await memory.store(g)
        async with GraphMemory(tmp_path / "m.db") as memory:
            assert (await memory.recall(g))[0].graph == g

    asyncio.run(main())


def test_an_empty_memory_recalls_nothing(tmp_path):
    async def main():
        async with GraphMemory(tmp_path / "m.db") as memory:
            assert await memory.recall(Graph.from_edges([(0, 1)]), 3) == []
            assert await memory.store(Graph.from_edges([], n=0)) == 1

    asyncio.run(main())


def test_what_is_no_memory_is_refused(tmp_path):
    (tmp_path / "text").write_text("not a database, but long enough to be taken for the header of one " * 20)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (x)")

    async def main():
        for name in ("text", "other.db"):
            with pytest.raises(InvalidInputError, match=name):
                await GraphMemory(tmp_path / name).count()
        async with GraphMemory(tmp_path / "m.db") as memory:
            with pytest.raises(InvalidInputError, match="keeps graphs"):
                await memory.store(nx.path_graph(2))
            with pytest.raises(InvalidInputError, match="1 or more"):
                await memory.recall(Graph.from_edges([(0, 1)]), 0)
            with pytest.raises(InvalidInputError, match="label"):
                await memory.store(Graph.from_edges([], labels=[object()]))

    asyncio.run(main())
