"""Ray itself: started here behind the loopback address, or joined where the user says."""

from __future__ import annotations

import atexit
import functools
import importlib
import logging
import os
import shutil
import tempfile
from typing import Any

from grapheme.errors import BackendUnavailableError
from grapheme_ray.parcel import folder
from grapheme_ray.settings import Settings

INLINE = 4 * 2**20
"""Bytes of an answer that still travel with it; Ray's own limit of 100 KB costs the partial sums of a step 2 ms."""
LOOPBACK = "127.0.0.1"
ALONE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Set to 0, it keeps Ray on the loopback address; the option for a node's address does not accept that."""
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}

log = logging.getLogger("grapheme")


@functools.cache
def engine() -> Any:
    """Return the module ``ray``, imported with nothing sent home."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # each is said once, by whoever asked
    return importlib.import_module("ray")


def hush() -> None:
    """Log what Ray's processes report, which Ray would print where our data goes: on the standard output."""

    def report(data: dict[str, Any], *_: Any, **__: Any) -> None:
        log.debug("%s: %s", data.get("pid"), " ".join(data.get("lines", ())))

    printer: Any = importlib.import_module("ray._private.worker")
    printer.print_to_stdstream = report


def connect(settings: Settings, processors: int) -> None:
    """Make Ray ready for use in this process; one that the user's program has started is taken as it is."""
    if settings.address is None:
        _start(processors)
    else:
        _join(settings.address)


@functools.cache
def _start(processors: int) -> None:
    """Start Ray for this process alone; everything ends with it."""
    ray = engine()
    if ray.is_initialized():
        return
    os.environ[ALONE] = "0"
    constants: Any = importlib.import_module("ray._private.ray_constants")
    constants.ENABLE_RAY_CLUSTER = False  # the variable was read when somebody imported Ray before
    hush()
    session = tempfile.mkdtemp(prefix="grapheme-ray-", dir=_short_folder())
    atexit.register(_stop, session)
    system = {"max_direct_call_object_size": INLINE}
    try:
        ray.init("local", num_cpus=processors, _temp_dir=session, _system_config=system, **QUIET)
    except Exception as error:
        raise BackendUnavailableError(f"Ray does not start here: {one_line(error)}") from error
    if ray.util.get_node_ip_address() != LOOPBACK:
        _stop(session)
        raise BackendUnavailableError(
            "This version of Ray cannot be kept on the loopback address; "
            "start Ray as you want it and give its address with --address."
        )


@functools.cache
def _join(address: str) -> None:
    ray = engine()
    if ray.is_initialized():
        return
    hush()
    try:
        ray.init(address, namespace="grapheme", **{k: v for k, v in QUIET.items() if k != "include_dashboard"})
    except Exception as error:
        raise BackendUnavailableError(
            f"Cannot join the cluster at {address} ({one_line(error)}); "
            f"this machine has to belong to it: ray start --address={address}"
        ) from error


@functools.cache
def parcels() -> str:
    """Return the folder for large arrays between processes here; it goes when this process ends."""
    made = folder()
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _stop(session: str) -> None:
    """End Ray's processes and forget their logs."""
    engine().shutdown()
    shutil.rmtree(session, ignore_errors=True)


def _short_folder() -> str | None:
    """Return where temporary folders go: the path of a socket must be short, so not deep down."""
    return "/tmp" if len(tempfile.gettempdir()) > 20 and os.access("/tmp", os.W_OK) else None


def one_line(error: BaseException) -> str:
    """Return what an error says, without line breaks and at most a few lines' worth."""
    return (" ".join(str(error).split()) or type(error).__name__)[:300]
