"""Runs of version 0.1: their settings as those of today, so that they can be read, used and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FORMAT = "grapheme run 1"

POLISHED = "polished.safetensors"
"""Kept the model that callbacks worked on; today the last checkpoint holds it."""

BY_PASSES = ("cortex",)
"""The experiments whose epoch was a pass over all samples; that of the others was a step."""

AUTOMATA = ("life", "checkerboard", "checkerboard-async", "lizard", "letter", "grow", "rule")
"""The experiments that had recipes; the others were trained in one way, whatever was said."""


def converted(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a ``run.json`` of format 1, without its format, as those of format 2.

    Args:
        content: the fields of the file.

    Returns:
        The fields of ``grapheme.training.run.Settings``.

    Example:
        >>> old = {"experiment": "rule-B36/S23", "seed": 0, "dtype": "float32", "epochs": 9, "restarts": 0, "every": 1}
        >>> converted({**old, "recipe": "paper", "loss": None})["options"]
        {'rule': 'B36/S23', 'recipe': 'paper'}
    """
    name, options = _experiment(content["experiment"])
    if name in AUTOMATA:
        options["recipe"] = content.get("recipe", "paper")
    if content.get("loss") is not None:
        options["loss"] = content["loss"]
    kept = {key: content[key] for key in ("seed", "dtype", "restarts", "every")}
    return {"experiment": name, "max_steps": content["epochs"], "options": options, **kept}


def in_steps(facts: Mapping[str, Any], steps: int, within: bool = False) -> dict[str, Any]:
    """Return what a checkpoint of format 1 says, its epochs counted as training steps.

    Args:
        facts: of a checkpoint; those of format 2 are returned as they are.
        steps: in an epoch.
        within: whether the checkpoint was written before its epoch was counted, as the best one is.

    Returns:
        The facts, with epochs that are steps.

    Example:
        >>> in_steps({"epoch": 2}, 10), in_steps({"epoch": 2}, 10, within=True)
        ({'epoch': 20}, {'epoch': 29})
    """
    if not counts_epochs(facts):
        return dict(facts)
    changed = {**facts, "epoch": (facts["epoch"] + within) * steps - within}
    if facts.get("solved_at") is not None:
        attempt, epoch = facts["solved_at"]
        changed["solved_at"] = [attempt, epoch * steps]
    return changed


def counts_epochs(facts: Mapping[str, Any]) -> bool:
    """Say whether version 0.1 wrote a checkpoint, by what this says."""
    return "epoch" in facts


def _experiment(name: str) -> tuple[str, dict[str, Any]]:
    """Return what an experiment with something of its own in its name is called today, and its options.

    A picture or a file of pairs was copied into the run's folder, where it is found again.
    """
    if name.startswith("rule-"):
        return "rule", {"rule": name.removeprefix("rule-")}
    if name == "grow":
        return "grow", {"file": "target.png"}
    kind, separator, domain = name.partition(":")
    if separator:
        return kind, {"file" if kind == "pairs" else "pairs": "pairs.jsonl", "domain": domain}
    return name, {}
