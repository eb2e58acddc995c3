"""Any rule of one bit a cell, learnt as Life is: Life-like ones such as B36/S23, and elementary ones, 0 to 255.

An elementary rule is one-dimensional; every row of a grid follows it by itself.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.life import LIFE
from grapheme.options import Options


def load(options: Options, folder: Path | None) -> AutomatonExperiment:
    """Return the experiment that the options ask for."""
    return rule_experiment(options["rule"]).configured(options)


def rule_experiment(rule: str) -> AutomatonExperiment:
    """Return the experiment that learns ``rule``, in which the order of the counts and of B and S does not matter."""
    text = rule.strip().upper()
    life_like = re.fullmatch(r"B([0-8]*)/?S([0-8]*)", text)
    if life_like:
        born, stays = ("".join(sorted(set(counts))) for counts in life_like.groups())
        return _experiment(f"B{born}/S{stays}", lambda grids: _life_like(grids, born, stays))
    if text.isdecimal() and int(text) < 256:
        return _experiment(str(int(text)), lambda grids: _elementary(grids, int(text)))
    raise InvalidInputError(
        f"'{rule}' is not a valid rule; write a Life-like one as in B36/S23, "
        f"or the number of an elementary one, 0 to 255."
    )


def _experiment(name: str, target: Callable[[Bits], Bits]) -> AutomatonExperiment:
    return dataclasses.replace(LIFE, name=f"rule-{name}", target=target)


def _life_like(grids: Bits, born: str, stays: str) -> Bits:
    """Return grids (..., height, width) a step later: cells are born, and stay, at these counts of neighbours."""
    cells = grids.astype(np.int8)
    rows = cells + np.roll(cells, 1, axis=-2) + np.roll(cells, -1, axis=-2)
    alive = rows + np.roll(rows, 1, axis=-1) + np.roll(rows, -1, axis=-1) - cells
    wanted = np.where(grids, np.isin(alive, [int(n) for n in stays]), np.isin(alive, [int(n) for n in born]))
    return np.asarray(wanted, np.bool_)


def _elementary(grids: Bits, number: int) -> Bits:
    """Return grids a step later: bit (left, cell, right), read as a number, of the rule's number."""
    cells = grids.astype(np.int64)
    index = 4 * np.roll(cells, 1, axis=-1) + 2 * cells + np.roll(cells, -1, axis=-1)
    return np.asarray(number >> index & 1, np.bool_)
