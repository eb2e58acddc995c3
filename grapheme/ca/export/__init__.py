"""Hard circuits as files for other programs and for people; JSON can be read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grapheme.ca.export import c, document, dot, html, verilog
from grapheme.ca.export.document import Document
from grapheme.errors import InvalidInputError, nearest
from grapheme.files import write_whole

__all__ = ["FORMATS", "Document", "write"]

FORMATS: dict[str, Callable[[Document], str]] = {
    "json": document.text,
    "verilog": verilog.text,
    "c": c.text,
    "dot": dot.text,
    "html": html.text,
}
SUFFIXES = {".json": "json", ".v": "verilog", ".c": "c", ".dot": "dot", ".gv": "dot", ".html": "html", ".htm": "html"}


def write(exported: Document, path: Path, format: str | None = None) -> None:
    """Write a circuit; the file's suffix decides on the format, if None."""
    chosen = SUFFIXES.get(path.suffix.lower()) if format is None else format
    if chosen is None:
        raise InvalidInputError(f"The name {path.name} does not say in which format; choose {', '.join(FORMATS)}.")
    if chosen not in FORMATS:
        raise InvalidInputError(
            f"There is no format '{chosen}'; choose {', '.join(FORMATS)}.{nearest(chosen, FORMATS)}"
        )
    write_whole(path, FORMATS[chosen](exported).encode())
