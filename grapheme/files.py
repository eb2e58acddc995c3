"""Files: read with a sentence where that fails; written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grapheme.errors import InvalidInputError, RunError


@contextmanager
def readable(what: object) -> Iterator[None]:
    """Turn what goes wrong while a file is read into a sentence; ``what`` is its path, or says more."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"Cannot read {what}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"Cannot read {what}: it is no text in UTF-8.") from error


def write_whole(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` such that a reader, or a kill at any moment, sees the old file or the new."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunError(f"Cannot write {path}: {error.strerror}.") from error


def file_name(name: str) -> str:
    """Return a name with nothing in it that a file or a folder cannot have."""
    return name.replace("/", "").replace(":", "-")
