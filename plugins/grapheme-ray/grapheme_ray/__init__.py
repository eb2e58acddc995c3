"""Many processes or machines: a backend that cuts work over Ray's actors, each of which runs another backend."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator

import click

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.kernels.graph import CLIQUES, DAGS
from grapheme_ray.settings import Settings, current


def probe() -> str | None:
    """Return why work cannot be spread as the settings ask, or None."""
    if not importlib.util.find_spec("ray"):
        return "ray is not installed. Try: pip install ray"
    from grapheme_ray.availability import reason

    return reason(current())


def load(threads: int) -> Backend:
    """Return the backend as the settings of this moment ask for it."""
    return backend(current(), threads)


def backend(settings: Settings, threads: int) -> Backend:
    """Return the backend for some settings; Ray itself starts with the first kernel that runs."""
    from grapheme.backend.parallelism import DEFAULT_MEMORY, Parallelism
    from grapheme_ray.batch import BatchKernels
    from grapheme_ray.cell import CellKernels
    from grapheme_ray.graph import GraphKernels
    from grapheme_ray.seeds import train_runs
    from grapheme_ray.team import team

    workers = team(settings, threads)
    return Backend(
        name="ray",
        groups={"cell": CellKernels(workers), "batch": BatchKernels(workers), "graph": GraphKernels(workers)},
        threads=threads,
        device=settings.describe(threads),
        parallelism=Parallelism(memory=DEFAULT_MEMORY * (settings.workers or threads)),
        population=functools.partial(train_runs, workers),
    )


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="ray",
        summary="another backend on many processes or machines",
        probe=probe,
        load=load,
        install="",
        groups=("cell", "batch", "graph"),
        lacks=tuple(f"graph.{name}" for name in (*CLIQUES, *DAGS)),
    )


@hookimpl
def grapheme_commands(cli: click.Group) -> None:
    """Give every command that takes a backend the options of this one."""
    from grapheme_ray.options import add_options

    add_options(cli)
