"""Brains: what they read, how sure they are, and how they are found."""

from __future__ import annotations

import pytest

from grapheme.cortex import Brain, BrainRegistry, CollaborativeCortexConfig
from grapheme.cortex.shipped import CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN
from grapheme.domains import Domain
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph


def test_the_brains_that_ship_are_found_through_the_hook() -> None:
    registry = BrainRegistry.from_plugins()
    assert {"code", "math", "text"} <= set(registry.names)
    assert registry.get("math") is MATH_BRAIN
    assert [brain.name for brain in registry.choose(["text", "code", "text"])] == ["code", "text"]


def test_an_unknown_brain_names_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match=r"There is no brain 'maths'; there are .*Did you mean 'math'"):
        BrainRegistry([MATH_BRAIN, TEXT_BRAIN]).get("maths")


def test_two_brains_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"two brains called 'text'\. Drop one"):
        BrainRegistry([TEXT_BRAIN, TEXT_BRAIN])


@pytest.mark.parametrize(
    ("brain", "sure", "unsure", "foreign"),
    [
        (MATH_BRAIN, "2*x + 3", "x", "for x in xs: pass"),
        (CODE_BRAIN, "x = 1\ny = 2\n", "x", "d/dx x"),
        (TEXT_BRAIN, "a plain word", "3*x", ""),
    ],
)
def test_confidence_depends_on_what_was_read(brain: Brain, sure: str, unsure: str, foreign: str) -> None:
    assert 1 > brain.confidence(sure) > brain.confidence(unsure) > 0
    assert brain.confidence(foreign) == 0
    assert brain.parse(foreign) is None


def test_confidence_by_hand() -> None:
    assert MATH_BRAIN.confidence("2*x + 3") == (4 + 0.5) / (5 + 1)  # 2, *, 3 and + speak for it, x does not
    assert CODE_BRAIN.confidence("f(x)\ny = 2") == (1 + 0.5) / (2 + 1)
    assert TEXT_BRAIN.confidence("ab1") == (2 + 0.5) / (3 + 1)


def test_a_graph_without_direction_is_not_taken() -> None:
    def parse(text: str) -> Graph:
        return Graph.from_edges([(0, 1)], 2, text[:2])

    assert Brain(Domain("pairs", parse, str), "pairs", lambda graph: (1, 0)).parse("ab") is None


def test_the_defaults_of_the_settings() -> None:
    config = CollaborativeCortexConfig()
    assert (config.learning_rate, config.embed_dim, config.hidden_dim) == (0.001, 64, 128)
    assert (config.activation_threshold, config.max_active_brains) == (0.2, 0)
    assert (config.structural_weight, config.collaboration_weight) == (1.0, 0.3)
    assert (config.parallel, config.num_workers, config.batch_size) == (True, 0, 32)


@pytest.mark.parametrize(
    "wrong",
    [{"embed_dim": 0}, {"batch_size": 0}, {"num_workers": -1}, {"activation_threshold": 2}, {"learning_rate": 0}],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError):
        CollaborativeCortexConfig(**wrong)  # type: ignore[arg-type]
