"""How compiled kernels are kept, announced and run on a number of threads."""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from grapheme.kernels import kernel_names

G = TypeVar("G")

log = logging.getLogger("grapheme")


@functools.cache
def prepare() -> None:
    """Choose where compiled kernels are kept, and say so when some have to be compiled first; once a process."""
    if not numba.config.CACHE_DIR:
        numba.config.CACHE_DIR = str(_cache_folder())
    event.register("numba:compile", _Announcer())


def on_threads(protocol: type, group: G, threads: int) -> G:
    """Return the kernels of a group, each of which runs on ``threads`` threads and leaves the setting as it was."""
    bound = {kernel: _bound(getattr(group, kernel), threads) for kernel in kernel_names(protocol)}
    return cast(G, SimpleNamespace(**bound))


def _bound(kernel: Callable[..., Any], threads: int) -> Callable[..., Any]:
    @functools.wraps(kernel)
    def run(*args: Any) -> Any:
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            return kernel(*args)
        finally:
            numba.set_num_threads(before)

    return run


def _cache_folder() -> Path:
    """Return a folder for these very sources, so that a change in any file of the backend starts a new one."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for parent in (home, Path(tempfile.gettempdir())):
        folder = parent / "grapheme" / f"numba-{digest}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="grapheme-"))


class _Announcer(event.Listener):
    """Says once that kernels are being compiled."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said:
            self.said = True
            log.info("Compiling kernels for this machine; later runs take them from the cache.")

    def on_end(self, event: Any) -> None:
        pass
