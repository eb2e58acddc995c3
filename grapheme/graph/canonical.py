"""When two graphs are the same but for the numbers of their nodes: a hash that agrees then, and the proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.labels import edge_labels, node_labels, text_of
from grapheme.graph.refinement import Neighbours, neighbours, surroundings

SIZE = 16


@dataclass(frozen=True)
class Colouring:
    """The colours of the nodes: at first, after one round, and when further rounds tell no more nodes apart."""

    first: list[bytes]
    second: list[bytes]
    last: list[bytes]


def colouring(g: AbstractGraph) -> Colouring:
    """Return colours that depend on labels and edges only, not on the numbers of the nodes."""
    near = neighbours(g.nodes, _both_ends(g))
    coarse = [_digest(text_of(label).encode("ascii")) for label in node_labels(g)]
    rounds = [coarse, _round(coarse, near)]
    while len(set(rounds[-1])) > len(set(rounds[-2])):
        rounds.append(_round(rounds[-1], near))
    return Colouring(rounds[0], rounds[1], rounds[-1])


def canonical_hash(g: AbstractGraph, colours: Colouring) -> bytes:
    """Return a hash that graphs of one kind share if they are the same; different graphs rarely share it."""
    kind = f"{type(g).__name__} {g.directed} {g.nodes} {g.edges}".encode()
    return _digest(kind + b"".join(sorted(colours.last)))


def same_graph(g: AbstractGraph, h: AbstractGraph) -> bool:
    """Say whether ``g`` becomes ``h``, labels and all, by giving its nodes other numbers."""
    if (type(g), g.directed, g.nodes, g.edges) != (type(h), h.directed, h.nodes, h.edges):
        return False
    left, right = colouring(g).last, colouring(h).last
    return sorted(left) == sorted(right) and _match(g, h, left, right)


def _match(g: AbstractGraph, h: AbstractGraph, left: list[bytes], right: list[bytes]) -> bool:
    """Map node after node to one of its colour with the same arcs to the nodes before; go back where there is none."""
    arcs, others = _arcs(g), _arcs(h)
    size = Counter(left)
    order = sorted(range(g.nodes), key=lambda v: (size[left[v]], left[v]))
    choices = [iter([w for w in range(h.nodes) if right[w] == left[v]]) for v in order[:1]]
    images: list[int] = []

    def fits(v: int, w: int) -> bool:
        if w in images or arcs.get((v, v)) != others.get((w, w)):
            return False
        before = zip(order, images, strict=False)
        return all(arcs.get((u, v)) == others.get((x, w)) and arcs.get((v, u)) == others.get((w, x)) for u, x in before)

    while choices:
        v = order[len(images)]
        image = next((w for w in choices[-1] if fits(v, w)), None)
        if image is None:
            choices.pop()
            images = images[: max(0, len(choices) - 1)]
            continue
        images.append(image)
        if len(images) == g.nodes:
            return True
        following = order[len(images)]
        choices.append(iter([w for w in range(h.nodes) if right[w] == left[following]]))
    return g.nodes == 0


def _arcs(g: AbstractGraph) -> dict[tuple[int, int], str]:
    """Return the label of each arc as text."""
    arcs = {(a, b): text_of(label) for (a, b), label in zip(g.edge_list.tolist(), edge_labels(g), strict=True)}
    return arcs if g.directed else arcs | {(b, a): text for (a, b), text in arcs.items()}


def _both_ends(g: AbstractGraph) -> Iterator[tuple[int, bytes, int]]:
    """Return every arc twice: as the node that it leaves sees it, and as the node that it enters does."""
    for (a, b), text in _arcs(g).items():
        mark = _digest(text.encode("ascii"))
        yield a, b">" + mark, b
        yield b, b"<" + mark, a


def _round(colours: list[bytes], near: Neighbours[bytes]) -> list[bytes]:
    around = surroundings(colours, near)
    return [_digest(own + b"".join(chain.from_iterable(seen))) for own, seen in zip(colours, around, strict=True)]


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=SIZE).digest()
