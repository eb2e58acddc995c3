"""The experiments that ship, as records that import nothing until one is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from grapheme.options import Option, Options
from grapheme.training.experiment import AbstractExperiment, ExperimentSpec

BATCH_SIZE = Option(
    name="batch_size", kind=int, least=1, help="Samples of a training step; the experiment's own number if not given."
)
AUTOMATA = (
    Option(
        name="recipe",
        choices=("reliable", "paper"),
        default="reliable",
        help="How to train: reliably, or exactly as published.",
    ),
    BATCH_SIZE,
)
"""Options of everything that trains an automaton."""

NETWORKS = (
    Option(
        name="loss",
        choices=("edits", "structural"),
        default="edits",
        help="What to make small: doubts about single edits, or the distance of soft graphs.",
    ),
    BATCH_SIZE,
)
"""Options of everything that trains a network that edits graphs."""

DOMAIN = Option(name="domain", default="text", help="What the sides of pairs are that name no domain of their own.")

RULE = Option(name="rule", positional=True, help="A Life-like rule as in B36/S23, or an elementary one, 0 to 255.")
PICTURE = (
    Option(name="file", positional=True, help="The picture to grow: PNG, JPEG, GIF or BMP."),
    Option(name="size", kind=int, least=8, most=32, default=16, help="Cells of the picture's longer side, 8 to 32."),
    Option(name="threshold", kind=float, default=0.5, help="How bright, from 0 to 1, a colour must be to count."),
)
PAIRS = Option(name="file", positional=True, help="The pairs: a line of JSON with source and target for each.")
SAMPLES = Option(name="pairs", help="Learn from the pairs in FILE, a line of JSON each, instead of the shipped ones.")

TASKS = {
    "edit-cycles": "Learn how hubs grow, join and drop leaves in a cycle.",
    "degree-rules": "Learn which nodes and edges come and go by the degrees of nodes.",
    "life-graph": "Learn Conway's Game of Life on a graph, a node a cell.",
    "boolean": "Learn to simplify logical formulas by eight rules.",
    "peano": "Learn to add successors of 0 by four rules.",
    "math": "Learn mathematics, all seven levels of it.",
    "math-1": "Learn mathematics: arithmetic.",
    "math-2": "Learn mathematics: nested arithmetic.",
    "math-3": "Learn mathematics: substitution of names.",
    "math-4": "Learn mathematics: functions.",
    "math-5": "Learn mathematics: differentiation.",
    "math-6": "Learn mathematics: simplification.",
    "math-7": "Learn mathematics: equations.",
    "code": "Learn nine rewrites of small Python programs.",
    "text": "Learn case, reversal and spelling of text.",
    "text-case": "Learn to change the case of text.",
    "text-reversal": "Learn to reverse text.",
    "text-spelling": "Learn to correct the spelling of text.",
}
"""What each task of generated pairs is, by name."""


def shipped_experiments() -> Iterator[ExperimentSpec]:
    """Yield the records of all experiments that ship."""
    yield from _automata()
    yield ExperimentSpec(
        name="cortex",
        summary="Learn mathematics, code and text with brains that are fused by attention.",
        load=_load("cortex"),
        options=(SAMPLES, DOMAIN),
        examples=("grapheme train cortex", "grapheme train cortex --pairs mine.jsonl --domain math"),
    )
    for name, summary in TASKS.items():
        yield ExperimentSpec(
            name=name,
            summary=summary,
            load=partial(_load_task, name),
            options=NETWORKS,
            examples=(f"grapheme train {name}",),
            samples=partial(_samples, name),
        )
    yield ExperimentSpec(
        name="pairs",
        summary="Learn the change that pairs of your own show.",
        load=_load("edits", "load_pairs"),
        options=(PAIRS, DOMAIN, *NETWORKS),
        examples=("grapheme train pairs mine.jsonl --domain math",),
    )


def _automata() -> Iterator[ExperimentSpec]:
    for name, summary, module in (
        ("life", "Learn Conway's Game of Life from all 512 neighbourhoods.", "life"),
        ("checkerboard", "Grow a checkerboard out of random bits.", "checkerboard"),
        ("checkerboard-async", "Grow a checkerboard out of random bits, cells firing at random.", "checkerboard"),
        ("lizard", "Grow a lizard out of one cell.", "lizard"),
        ("letter", "Grow a letter in three bits of colour out of zeros.", "letter"),
    ):
        yield ExperimentSpec(
            name=name,
            summary=summary,
            load=partial(_load_constant, module, name.upper().replace("-", "_")),
            options=AUTOMATA,
            examples=(f"grapheme train {name}", f"grapheme train {name} --recipe paper --seed 3"),
        )
    yield ExperimentSpec(
        name="rule",
        summary="Learn any Life-like or elementary rule from all neighbourhoods.",
        load=_load("rule"),
        options=(RULE, *AUTOMATA),
        examples=("grapheme train rule B36/S23", "grapheme train rule 110"),
    )
    yield ExperimentSpec(
        name="grow",
        summary="Grow any picture out of zeros.",
        load=_load("grow"),
        options=(*PICTURE, *AUTOMATA),
        examples=("grapheme train grow picture.png --size 16",),
    )


def _load(module: str, function: str = "load") -> partial[AbstractExperiment]:
    """Return what imports a module of this package and calls its function, once it is called itself."""
    return partial(_load_with, module, function)


def _load_with(module: str, function: str, options: Options, folder: Path | None) -> AbstractExperiment:
    found: AbstractExperiment = getattr(import_module(f"grapheme.experiments.{module}"), function)(options, folder)
    return found


def _load_constant(module: str, constant: str, options: Options, folder: Path | None) -> AbstractExperiment:
    found: AbstractExperiment = getattr(import_module(f"grapheme.experiments.{module}"), constant).configured(options)
    return found


def _load_task(name: str, options: Options, folder: Path | None) -> AbstractExperiment:
    from grapheme.experiments.edits import load

    return load(name, options, folder)


def _samples(name: str) -> Iterator[str]:
    from grapheme.datasets import sample_pairs

    return sample_pairs(name, 3)
