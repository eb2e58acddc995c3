"""Writes a plugin distribution to start from: the files in ``template/``, with names filled in."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from grapheme import __version__
from grapheme.backend.selection import list_backends
from grapheme.errors import InvalidInputError, RunError
from grapheme.kernels import CONTRACT

SUFFIX = ".in"
"""Template files end so, lest anybody's tools take them for code."""


def write_backend(name: str, folder: Path) -> list[Path]:
    """Write a backend plugin called ``name`` into the new ``folder``; return the files."""
    names = _names(name)
    if folder.exists():
        raise RunError(f"{folder} exists; choose another folder with --out.")
    template = files("grapheme.scaffold") / "template"
    contents = {path: Template(text).substitute(names) for path, text in _texts(template, Path())}
    written = []
    for path, text in sorted(contents.items()):
        target = folder / str(path.with_suffix("")).replace("package", names["module"], 1)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        written.append(target)
    return written


def _names(name: str) -> dict[str, str]:
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", name):
        raise InvalidInputError(
            f"'{name}' cannot be a backend's name; use lower-case letters, digits and single hyphens."
        )
    if name in {spec.name for spec in list_backends()}:
        raise InvalidInputError(f"A backend called '{name}' is installed already; choose another name.")
    return {
        "name": name,
        "module": f"grapheme_{name.replace('-', '_')}",
        "distribution": f"grapheme-{name.replace('_', '-')}",
        "title": "".join(part.capitalize() for part in re.split("[-_]", name)),
        "version": __version__,
        "contract": str(CONTRACT),
    }


def _texts(folder: Traversable, at: Path) -> list[tuple[Path, str]]:
    """Return (path, text) of all template files below ``folder``."""
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _texts(entry, at / entry.name)
        elif entry.name.endswith(SUFFIX):
            found.append((at / entry.name, entry.read_text()))
    return found
