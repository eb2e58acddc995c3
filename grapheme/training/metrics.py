"""The table of losses that grows beside a run."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from grapheme.errors import RunError
from grapheme.files import write_whole
from grapheme.models.model import Metrics


@dataclass(frozen=True)
class Row(Metrics):
    """The metrics of one training step."""

    attempt: int
    step: int
    steps_per_second: float


COLUMNS = ("attempt", "step", *(field.name for field in fields(Metrics)), "steps_per_second")

EARLIER = {"step": "epoch", "steps_per_second": "epochs_per_second"}
"""What columns were called in version 0.1."""


class MetricsFile:
    """A CSV that grows by whole lines; what is there from ``attempt`` and ``step`` on is dropped first."""

    def __init__(self, path: Path, attempt: int = 0, step: int = 0) -> None:
        rows = [row for row in (read(path) if path.exists() else []) if (row.attempt, row.step) < (attempt, step)]
        write_whole(path, (",".join(COLUMNS) + "\n").encode() + b"".join(map(_line, rows)))
        self.last = rows[-1] if rows else None
        """The last row that is not dropped."""
        self.file = open(path, "ab", buffering=0)  # noqa: SIM115 - closed by __exit__

    def add(self, row: Row) -> None:
        """Write one row."""
        self.file.write(_line(row))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def read(path: Path) -> list[Row]:
    """Return the whole rows of a table; a last line cut short by a kill is left out."""
    try:
        text = path.read_text()
    except OSError as error:
        raise RunError(f"Cannot read {path}: {error.strerror}.") from error
    lines = text[: text.rfind("\n") + 1].splitlines()
    try:
        return [_row(row) for row in csv.DictReader(lines)]
    except (KeyError, ValueError, TypeError) as error:
        raise RunError(f"{path} is not a table of losses ({error}).") from error


def _row(cells: dict[str, str]) -> Row:
    found = {name: cells[name if name in cells else EARLIER.get(name, name)] for name in COLUMNS}
    numbers = {name: float(text) for name, text in found.items() if name not in ("attempt", "step")}
    return Row(attempt=int(found["attempt"]), step=int(found["step"]), **numbers)


def _line(row: Row) -> bytes:
    values = {name: value if name in ("attempt", "step") else float(value) for name, value in asdict(row).items()}
    return (",".join(repr(values[name]) for name in COLUMNS) + "\n").encode()
