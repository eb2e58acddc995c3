"""What a user waits for before anything happens."""

from __future__ import annotations

import subprocess
import sys
import tempfile


def _run(*arguments: str, **environment: str) -> None:
    import os

    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env={**os.environ, **environment})


class Startup:
    """Importing, asking for help, and the first epoch from a cold and from a warm cache."""

    timeout = 300
    number = 1

    def time_import(self):
        _run("-c", "import grapheme")

    def time_help(self):
        _run("-m", "grapheme", "--help")

    def time_first_epoch_from_the_cache(self):
        self._first_epoch()

    def time_first_epoch_from_a_cold_cache(self):
        with tempfile.TemporaryDirectory() as cache:
            self._first_epoch(NUMBA_CACHE_DIR=cache)

    def _first_epoch(self, **environment: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            _run("-m", "grapheme", "train", "life", "--max-steps", "1", "--out", f"{folder}/run", **environment)
