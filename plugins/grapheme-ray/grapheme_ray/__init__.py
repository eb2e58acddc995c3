"""Many processes or machines: a backend that cuts work over Ray's actors, each of which runs another backend."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.kernels import CONTRACT
from grapheme.options import Options
from grapheme_ray.settings import OPTIONS, Settings


def probe(options: Options) -> str | None:
    """Return why work cannot be spread as the options ask, or None."""
    if not importlib.util.find_spec("ray"):
        return "ray is not installed. Try: pip install ray"
    from grapheme_ray.availability import reason

    return reason(Settings(**options))


def load(threads: int, options: Options) -> Backend:
    """Return the backend; Ray itself starts with the first kernel that runs."""
    from grapheme.backend.parallelism import DEFAULT_MEMORY, Parallelism
    from grapheme.backend.selection import host_backend
    from grapheme_ray.batch import RayBatch
    from grapheme_ray.cell import RayCell
    from grapheme_ray.graph import RayGraph
    from grapheme_ray.seeds import train_runs
    from grapheme_ray.team import team

    settings = Settings(**options)
    workers = team(settings, threads)
    return Backend(
        name="ray",
        cell=RayCell(workers),
        batch=RayBatch(workers),
        graph=RayGraph(workers, host_backend(threads).graph),
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
        contract=CONTRACT,
        probe=probe,
        load=load,
        options=OPTIONS,
    )
