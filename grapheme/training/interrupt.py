"""Ctrl-C between two steps instead of in the middle of one."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self


class Interrupt:
    """Inside the ``with`` block, the first Ctrl-C or TERM only sets ``pressed``; the second stops at once."""

    def __init__(self) -> None:
        self.pressed = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                self._before[number] = signal.signal(number, self._note)
            except ValueError:  # not in the main thread, where no signal arrives anyway
                break
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
