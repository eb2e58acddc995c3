"""Files that are either whole or not there: written under another name, then renamed."""

from __future__ import annotations

import os
from pathlib import Path

from grapheme.errors import RunError


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
