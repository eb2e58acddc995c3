from __future__ import annotations

import pytest
from grapheme_roman.__main__ import pairs
from grapheme_roman.brain import ROMAN_BRAIN
from grapheme_roman.numerals import NEW, OLD, numeral

from grapheme.cortex import BrainRegistry, CollaborativeCortexConfig, CollaborativeCortexTrainer, Cortex, Sample
from grapheme.plugins import plugins

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def value(text: str) -> int:
    """A letter before a larger one counts against it; read from the end, so that every letter knows the next."""
    total, largest = 0, 0
    for letter in reversed(text):
        total += VALUES[letter] if VALUES[letter] >= largest else -VALUES[letter]
        largest = max(largest, VALUES[letter])
    return total


def test_the_brain_is_found_beside_those_that_ship():
    assert {"code", "math", "roman", "text"} <= set(BrainRegistry.from_plugins().names)
    assert not [plugin for plugin in plugins().found if plugin.error]


@pytest.mark.parametrize(("number", "old", "new"), [(4, "IIII", "IV"), (1999, "MDCCCCLXXXXVIIII", "MCMXCIX")])
def test_both_forms_of_a_number(number, old, new):
    assert (numeral(number, OLD), numeral(number, NEW)) == (old, new)
    assert value(old) == value(new) == number


@pytest.mark.parametrize("text", ["", "IIIII", "VX", "IC", "HELLO", "12"])
def test_what_is_no_numeral_is_refused(text):
    assert ROMAN_BRAIN.parse(text) is None
    assert ROMAN_BRAIN.confidence(text) == 0


def test_a_longer_numeral_is_surer():
    assert 0.5 < ROMAN_BRAIN.confidence("X") < ROMAN_BRAIN.confidence("XVIII") < 1


def test_a_cortex_learns_to_leave_numerals_to_the_brain():
    samples = [
        Sample(*source.values(), *target.values(), *source)
        for source, target in (pair.values() for pair in pairs(count=600))
    ]
    train, held_out = samples[:1000], samples[1000:]
    cortex = Cortex.build(train, CollaborativeCortexConfig(embed_dim=24, hidden_dim=16, learning_rate=0.005))
    trainer = CollaborativeCortexTrainer(cortex)
    trainer.train(train, 30)
    results = list(trainer.process_dataset([sample.source for sample in held_out]))
    numerals = [each for each in zip(results, held_out, strict=True) if each[1].domain == "roman"]
    assert len(numerals) == 100
    chosen = sum(result.brain == sample.domain for result, sample in zip(results, held_out, strict=True))
    assert chosen >= 0.95 * len(held_out)
    right = [result for result, sample in numerals if result.text == sample.target]
    assert len(right) >= 80
    assert all(value(result.text) == value(result.input) for result in right)
