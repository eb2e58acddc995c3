"""Any rule of one bit a cell, learnt as Life is: Life-like ones such as B36/S23, and elementary ones, 0 to 255.

An elementary rule is one-dimensional; every row of a grid follows it by itself.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.life import LIFE
from grapheme.options import Options
from grapheme.rules import elementary, life_like


def load(options: Options, folder: Path | None) -> AutomatonExperiment:
    """Return the experiment that the options ask for."""
    return rule_experiment(options["rule"]).configured(options)


def rule_experiment(rule: str) -> AutomatonExperiment:
    """Return the experiment that learns ``rule``, in which the order of the counts and of B and S does not matter."""
    text = rule.strip().upper()
    counts = re.fullmatch(r"B([0-8]*)/?S([0-8]*)", text)
    if counts:
        born, stays = (sorted({int(count) for count in group}) for group in counts.groups())
        name = f"B{''.join(map(str, born))}/S{''.join(map(str, stays))}"
        return _experiment(name, lambda grids: life_like(grids, born, stays))
    if text.isdecimal() and int(text) < 256:
        return _experiment(str(int(text)), lambda grids: elementary(grids, int(text)))
    raise InvalidInputError(
        f"'{rule}' is not a valid rule; write a Life-like one as in B36/S23, "
        f"or the number of an elementary one, 0 to 255."
    )


def _experiment(name: str, target: Callable[[Bits], Bits]) -> AutomatonExperiment:
    return dataclasses.replace(LIFE, name=f"rule-{name}", target=target)
