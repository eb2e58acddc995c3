"""The command line: one file a command, each of which imports what it needs when it runs."""

from __future__ import annotations

import logging

import click

from grapheme import __version__
from grapheme.cli.backends import backends
from grapheme.cli.bench import bench
from grapheme.cli.cortex import cortex_command
from grapheme.cli.evaluate import evaluate_command
from grapheme.cli.experiments import experiments_command
from grapheme.cli.export import export_command
from grapheme.cli.graph import graph
from grapheme.cli.info import info
from grapheme.cli.new_backend import new_backend
from grapheme.cli.plugins import plugins_command
from grapheme.cli.prove import prove_command
from grapheme.cli.run import run_command
from grapheme.cli.runs import runs_command
from grapheme.cli.train import resume_command, train_command
from grapheme.cli.transform import transform_command
from grapheme.cli.verify import verify
from grapheme.errors import GraphemeError
from grapheme.plugins import plugins


class _SentenceErrors(click.Group):
    """Shows a user's mistake as one sentence, without a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except GraphemeError as error:
            raise click.ClickException(str(error)) from error


class _Echo(logging.Handler):
    """Prints what the library logs to the error stream of the moment, which a progress bar may have taken over."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(self.format(record), err=True)


@click.group(cls=_SentenceErrors, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="grapheme")
def cli() -> None:
    """Train models that turn one graph into another, on whatever array engine you have."""


for command in (
    train_command,
    resume_command,
    experiments_command,
    runs_command,
    run_command,
    cortex_command,
    info,
    transform_command,
    evaluate_command,
    prove_command,
    export_command,
    graph,
    backends,
    plugins_command,
    verify,
    bench,
    new_backend,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line with the commands of all plugins."""
    log = logging.getLogger("grapheme")
    log.setLevel(logging.INFO)
    log.addHandler(_Echo())
    plugins().call("grapheme_commands", cli=cli)
    cli()
