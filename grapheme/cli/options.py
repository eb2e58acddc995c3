"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.options import Option

F = TypeVar("F", bound=Callable[..., Any])

GIVEN = "grapheme.backend_options"
"""Under this name a command's context keeps the options of backends that were given, by backend and name."""


class RunFolder(click.Path):
    """A run's folder; completion knows those below ``runs``."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the runs that begin with what was typed, or any folder."""
        runs = [str(path.parent) for path in sorted(Path("runs").glob("*/run.json"))]
        found = [CompletionItem(run) for run in runs if run.startswith(incomplete)]
        return found or super().shell_complete(ctx, param, incomplete)


class BackendName(click.ParamType[str]):
    """The name of a backend; completion knows the installed ones."""

    name = "TEXT"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the backends that begin with what was typed."""
        from grapheme.backend.selection import list_backends

        names = ["auto", *(spec.name for spec in list_backends())]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


RUN = click.argument("run", type=RunFolder())


class Size(click.ParamType[tuple[int, int]]):
    """A grid's height and width, as in 64x64."""

    name = "HxW"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return (height, width)."""
        if isinstance(value, tuple):
            return value
        parts = str(value).lower().split("x")
        if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
            self.fail(f"'{value}' is not a size; write height and width as in 64x64.", param, ctx)
        return int(parts[0]), int(parts[1])


class Bytes(click.ParamType[int]):
    """An amount of memory, as in 500MB or 2GB."""

    name = "SIZE"
    units = {"GB": 2**30, "MB": 2**20, "KB": 2**10, "B": 1}  # noqa: RUF012

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return a number of bytes."""
        text = str(value).upper().strip()
        unit = next((unit for unit in self.units if text.endswith(unit)), "")
        number = text.removesuffix(unit).strip()
        if not number.isdigit() or int(number) == 0:
            self.fail(f"'{value}' is not an amount of memory; write it as in 500MB or 2GB.", param, ctx)
        return int(number) * self.units.get(unit, 1)


class BackendCommand(click.Command):
    """A command that runs kernels: it has the options that the installed backends declare, each for its own backend."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options and those of the backends; the command's win where names agree."""
        own = super().get_params(ctx)
        taken = {option for param in own for option in param.opts}
        return own + [param for param in _backend_params() if taken.isdisjoint(param.opts)]


def _backend_params() -> Iterator[click.Option]:
    from grapheme.backend.selection import list_backends

    for spec in list_backends():
        for option in spec.options:
            param = click_option(option, f"With --backend {spec.name}: ")
            param.expose_value, param.callback = False, _keeper(spec.name)
            param.envvar, param.show_envvar = option.variable, option.variable is not None
            yield param


def _keeper(backend: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return a callback that notes a value for a backend, for the command itself does not know of the option."""

    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        if ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            ctx.meta.setdefault(GIVEN, {}).setdefault(backend, {})[str(param.name)] = value

    return keep


def click_option(option: Option, prefix: str = "") -> click.Option:
    """Return an option of an experiment or a backend as click has it; what is not given stays None."""
    default = None if option.default is None else str(option.default)
    return click.Option(
        [option.flag, option.name], type=_click_type(option), help=prefix + option.help, show_default=default or False
    )


def click_argument(option: Option) -> click.Argument:
    """Return a positional option as click has it."""
    return click.Argument([option.name], type=_click_type(option), metavar=option.flag)


def _click_type(option: Option) -> click.ParamType[Any]:
    if option.choices:
        return click.Choice(option.choices)
    if option.kind is int:
        least, most = (None if bound is None else int(bound) for bound in (option.least, option.most))
        return click.IntRange(least, most)
    if option.kind is float:
        return click.FloatRange(option.least, option.most)
    return {bool: click.BOOL, Path: click.Path(path_type=Path)}.get(option.kind, click.STRING)


def kernel_options(function: F) -> F:
    """Add the options that choose a backend, for a ``BackendCommand`` that does not train."""
    return _added(function, kernel_params())


def training_options(function: F) -> F:
    """Add the options that choose a backend and how it spreads its work, for a ``BackendCommand`` that trains."""
    return _added(function, [*kernel_params(), *spreading_params()])


def _added(function: F, params: list[click.Parameter]) -> F:
    """Add parameters as click's own decorators do: they keep them in a list, last one first."""
    kept = getattr(function, "__click_params__", [])
    function.__click_params__ = [*kept, *reversed(params)]  # type: ignore[attr-defined]
    return function


def kernel_params() -> list[click.Parameter]:
    """Return the options that choose a backend and its threads."""
    return [
        click.Option(
            ["--backend"],
            type=BackendName(),
            default="auto",
            show_default=True,
            envvar="GRAPHEME_BACKEND",
            show_envvar=True,
            help="Which kernels to run; see 'grapheme backends'.",
        ),
        click.Option(
            ["--threads"],
            type=int,
            envvar="GRAPHEME_THREADS",
            show_envvar=True,
            help="Threads to use; all cores if not given.",
        ),
    ]


def spreading_params() -> list[click.Parameter]:
    """Return the options that say how a batch is spread, for commands that train."""
    return [
        click.Option(
            ["--parallel-batch/--no-parallel-batch"],
            default=True,
            show_default=True,
            help="Hand the samples of a batch over together, or as few as possible at a time.",
        ),
        click.Option(
            ["--samples-at-once"], type=click.IntRange(min=1), help="Hand over at most so many samples at a time."
        ),
        click.Option(
            ["--memory"],
            type=Bytes(),
            help="Memory that the samples handed over together may take; 1GB, or half of what a card has free.",
        ),
    ]


def given_options(backend: str) -> dict[str, Any]:
    """Return the options that the command under way was given for a backend; those of another are refused."""
    ctx = click.get_current_context(silent=True)
    given: dict[str, dict[str, Any]] = ctx.meta.get(GIVEN, {}) if ctx else {}
    for owner, values in given.items():
        if owner != backend:
            flags = ", ".join(f"--{name.replace('_', '-')}" for name in values)
            raise click.UsageError(f"{flags} needs --backend {owner}; the backend is '{backend}'.")
    return given.get(backend, {})


def load_backend(
    name: str,
    threads: int | None,
    parallel_batch: bool = True,
    samples_at_once: int | None = None,
    memory: int | None = None,
) -> Backend:
    """Return the backend that the options ask for."""
    from grapheme.backend.parallelism import Parallelism
    from grapheme.backend.selection import get_backend

    parallelism = Parallelism(threads, parallel_batch, samples_at_once, memory)
    return get_backend(name, threads, parallelism, given_options(name))
