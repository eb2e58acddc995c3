"""The errors a user can meet: each message is a sentence that says what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GraphemeError(Exception):
    """Any mistake that the user, not the program, has to mend; shown without a traceback."""


class InvalidInputError(GraphemeError, ValueError):
    """An argument is out of range, of the wrong shape or of the wrong kind."""


class BackendError(GraphemeError):
    """No kernels can be had as asked."""


class UnknownBackendError(BackendError):
    """No installed plugin has a backend of that name."""


class BackendUnavailableError(BackendError):
    """The backend is installed, but cannot run on this machine."""


class KernelNotProvidedError(BackendError):
    """The backend runs here, but does not have that kernel."""


class RunError(GraphemeError):
    """A run folder or a file in it cannot be read or written."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the known name closest to ``name``, or an empty string."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" Did you mean '{close[0]}'?" if close else ""
