"""The settings as options of every command that takes a backend."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import click
from click.core import ParameterSource

from grapheme_ray.settings import MERGES, META, variable

COUNT = click.IntRange(min=1)
KINDS: dict[str, tuple[click.ParamType[Any], str]] = {
    "inner": (click.STRING, "the backend that every worker runs.  [default: numba]"),
    "workers": (COUNT, "how many workers.  [default: one for each thread, or processor of a cluster]"),
    "address": (click.STRING, "host:port of a cluster; without it, Ray runs on this machine alone."),
    "worker_threads": (COUNT, "threads of a worker.  [default: threads / workers; 1 on a cluster]"),
    "merge": (click.Choice(MERGES), "what workers send; 'shards' is less, and has other last bits.  [default: exact]"),
}


def add_options(cli: click.Group) -> None:
    """Add the options to all commands of ``cli`` that choose a backend, once."""
    for command in _commands(cli):
        names = {parameter.name for parameter in command.params}
        if "backend" in names and "inner" not in names and command.callback is not None:
            command.params += options("With --backend ray: ")
            command.callback = _checked(command.callback)


def options(prefix: str = "") -> list[click.Option]:
    """Return all options; what they are given is kept in the context, for the command itself does not know of them."""
    return [
        click.Option(
            [f"--{name.replace('_', '-')}"],
            type=kind,
            expose_value=False,
            callback=_keep,
            help=prefix + text,
            envvar=variable(name),
            show_envvar=True,
        )
        for name, (kind, text) in KINDS.items()
    ]


def _commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from _commands(command)
        else:
            yield command


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE:
        context.meta.setdefault(META, {})[parameter.name] = value


def _checked(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse the options where they would do nothing."""

    @functools.wraps(callback)
    def run(*args: Any, **values: Any) -> Any:
        given, backend = click.get_current_context().meta.get(META, {}), values.get("backend")
        if given and backend != "ray":
            flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise click.UsageError(f"{flags} needs --backend ray; the backend is '{backend}'.")
        return callback(*args, **values)

    return run
