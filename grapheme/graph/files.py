"""Graphs in files: the name's ending says in which format."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from grapheme.errors import InvalidInputError
from grapheme.files import readable, write_whole
from grapheme.graph import graphml, json_form
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph

READERS: dict[str, Callable[[bytes], Graph]] = {".graphml": graphml.read, ".json": json_form.read}
WRITERS: dict[str, Callable[[AbstractGraph], bytes]] = {".graphml": graphml.write, ".json": json_form.write}


def read(path: str | PathLike[str]) -> Graph:
    """Return the graph of a file."""
    reader = READERS[_ending(path)]
    with readable(path):
        content = Path(path).read_bytes()
    try:
        return reader(content)
    except InvalidInputError as error:
        raise InvalidInputError(f"The file {path} is no graph: {error}") from None


def write(graph: AbstractGraph, path: str | PathLike[str]) -> None:
    """Write a graph to a file, whole or not at all."""
    write_whole(Path(path), WRITERS[_ending(path)](graph))


def _ending(path: str | PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in READERS:
        raise InvalidInputError(f"The name of a graph's file ends in {' or '.join(READERS)}; got {path}.")
    return ending
