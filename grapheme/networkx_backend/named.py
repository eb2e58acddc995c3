"""A networkx graph beside the arrays that the kernels work on."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from grapheme.arrays import Ints
from grapheme.graph.graph import Graph

if TYPE_CHECKING:
    import networkx

Name: TypeAlias = Hashable


@dataclass(frozen=True, eq=False, repr=False)
class NamedGraph:
    """Node i of ``graph`` is ``names[i]`` of ``source``, where attributes are read when they are needed."""

    __networkx_backend__: ClassVar[str] = "grapheme"

    source: networkx.Graph[Any]
    graph: Graph
    names: tuple[Name, ...]

    def is_directed(self) -> bool:
        """Return what networkx asks before it calls a function that only takes graphs of one kind."""
        return bool(self.source.is_directed())

    def is_multigraph(self) -> bool:
        """Return the same of parallel edges, which the arrays hold once."""
        return bool(self.source.is_multigraph())

    @cached_property
    def numbers(self) -> dict[Name, int]:
        """The number of each name."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _objects(self) -> np.ndarray:
        return np.fromiter(self.names, np.object_, len(self.names))

    def named(self, nodes: Ints) -> list[Any]:
        """Return the names of an array of nodes, in lists of its shape."""
        return self._objects[nodes].tolist()  # type: ignore[no-any-return]


def convert_from_nx(graph: Any, **attributes: Any) -> NamedGraph:
    """Return a networkx graph with its arrays, whichever ``attributes`` networkx wants kept: all are."""
    if isinstance(graph, NamedGraph):
        return graph
    number = {name: i for i, name in enumerate(graph)}
    rows = [neighbours for _, neighbours in graph.adjacency()]
    targets = np.fromiter((number[name] for row in rows for name in row), np.int64)
    sources = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    arrays = Graph.from_edges(np.stack([sources, targets], axis=1), len(number), directed=graph.is_directed())
    return NamedGraph(graph, arrays, tuple(number))


def convert_to_nx(result: Any, **options: Any) -> Any:
    """Return the networkx graph of a converted one, and anything else as it is."""
    return result.source if isinstance(result, NamedGraph) else result
