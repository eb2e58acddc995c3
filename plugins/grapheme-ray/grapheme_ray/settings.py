"""What a user can choose: options of the command under way, else environment variables, else what is said here."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

import click

from grapheme.errors import InvalidInputError

META = "grapheme_ray"
"""Under this name a command's context keeps the options that were given."""
MERGES = ("exact", "shards")


@dataclass(frozen=True)
class Settings:
    """How work is spread; only ``merge`` can change the last bits of a result."""

    inner: str = "numba"
    """The backend that every worker runs."""
    workers: int | None = None
    """How many; None is one for each thread here, or for each free processor of a cluster."""
    address: str | None = None
    """``host:port`` of a cluster, or ``auto`` for the one that this machine belongs to; None starts Ray here."""
    worker_threads: int | None = None
    """Threads of a worker; None shares the threads out here, and is 1 on a cluster."""
    merge: str = "exact"
    """``exact``: the bits of the inner backend alone. ``shards``: every worker adds up its own samples first."""

    def __post_init__(self) -> None:
        for name, least in (("workers", self.workers), ("worker_threads", self.worker_threads)):
            if least is not None and least < 1:
                raise InvalidInputError(f"Give at least 1 as {name.replace('_', ' ')}; got {least}.")
        if self.merge not in MERGES:
            raise InvalidInputError(f"Set {variable('merge')} to one of {', '.join(MERGES)}; it is '{self.merge}'.")

    def describe(self, threads: int) -> str:
        """Return where the work is done, for people."""
        if self.address is not None:
            return f"{self.inner} on {self.workers or 'all'} workers at {self.address}"
        return f"{self.inner} on {self.workers or threads} workers here"


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"GRAPHEME_RAY_{name.upper()}"


def current() -> Settings:
    """Return the settings of this moment."""
    context = click.get_current_context(silent=True)
    given = context.meta.get(META, {}) if context else {}
    values = {field.name: given.get(field.name, _from_environment(field.name)) for field in fields(Settings)}
    return Settings(**{name: value for name, value in values.items() if value is not None})


def _from_environment(name: str) -> str | int | None:
    text = os.environ.get(variable(name), "").strip()
    if not text or name not in ("workers", "worker_threads"):
        return text or None
    if not text.isdigit():
        raise InvalidInputError(f"Set {variable(name)} to a whole number; it is '{text}'.")
    return int(text)
