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
    """The metrics of one epoch."""

    attempt: int
    epoch: int
    epochs_per_second: float


COLUMNS = ("attempt", "epoch", *(field.name for field in fields(Metrics)), "epochs_per_second")


class MetricsFile:
    """A CSV that grows by whole lines; what is there from ``attempt`` and ``epoch`` on is dropped first."""

    def __init__(self, path: Path, attempt: int = 0, epoch: int = 0) -> None:
        rows = [row for row in (read(path) if path.exists() else []) if (row.attempt, row.epoch) < (attempt, epoch)]
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
    numbers = {name: float(cells[name]) for name in COLUMNS if name not in ("attempt", "epoch")}
    return Row(attempt=int(cells["attempt"]), epoch=int(cells["epoch"]), **numbers)


def _line(row: Row) -> bytes:
    values = asdict(row)
    return (",".join(repr(values[name]) for name in COLUMNS) + "\n").encode()
