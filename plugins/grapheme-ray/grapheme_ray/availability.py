"""Whether work can be spread as asked, found out before anything starts and within seconds."""

from __future__ import annotations

import functools
import socket
import subprocess
import sys

from grapheme.errors import nearest
from grapheme.options import completed
from grapheme_ray.settings import Settings

CONNECT = 5.0
"""Seconds for a machine to accept a connection."""
ANSWER = 10.0
"""Seconds for Ray there to say that it is alive."""


def reason(settings: Settings) -> str | None:
    """Return why the settings cannot be had here, or None."""
    if settings.address is None:
        return _inner(settings.inner)
    if settings.inner == "ray":
        return _inner("ray")
    return unreachable(settings.address)


def unreachable(address: str) -> str | None:
    """Return why there is no talking to the cluster at ``address``, or None."""
    if address == "auto":
        return _health(address)
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in host:
        return f"'{address}' is no address of a cluster; write host and port, as in 10.0.0.1:6379, or auto."
    try:
        socket.create_connection((host, int(port)), CONNECT).close()
    except (OSError, OverflowError) as error:
        return f"No cluster answers at {address} ({_why(error)}); start one with: ray start --head"
    return _health(address)


def _inner(name: str) -> str | None:
    from grapheme.backend.selection import list_backends, reason_against

    specs = {spec.name: spec for spec in list_backends() if spec.name != "ray"}
    if name not in specs:
        return f"There is no inner backend '{name}'; there are {', '.join(specs)}.{nearest(name, specs)}"
    found = reason_against(specs[name], completed(specs[name].options, {}, f"the inner backend '{name}'"))
    return None if found is None else f"Its inner backend '{name}' cannot: {found}"


@functools.cache
def _health(address: str) -> str | None:
    """Ask in another process, for Ray's client ends its own when it does not understand the answer."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER, check=False)
    except subprocess.TimeoutExpired:
        return f"What answers at {address} is no Ray cluster, or too slow."
    if done.returncode == 0:
        return None
    if "AuthenticationError" in done.stderr:
        return f"The cluster at {address} asks for its token: copy its ~/.ray/auth_token and set RAY_AUTH_MODE=token."
    return f"There is no cluster to join at {address} ({_last_line(done.stderr)}); start one with: ray start --head"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "it says nothing"


def _why(error: Exception) -> str:
    return "it does not answer" if isinstance(error, TimeoutError) else str(error).partition("] ")[2] or str(error)
