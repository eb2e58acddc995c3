"""What an evaluation finds, whatever the family of the model: a table of tests, and perhaps a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Evaluation:
    """How a model does where it was not trained."""

    facts: Mapping[str, Any]
    """What holds for all tests, as JSON has it."""
    tests: tuple[Mapping[str, Any], ...]
    """A row for each test, all with the same columns in the same order, as JSON has it."""
    picture: Callable[[Path], None] | None = None
    """Writes a picture of how the tests ended to a PNG file, if there is one."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the table."""
        return tuple(self.tests[0]) if self.tests else ()
