"""Pairs that a user brings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grapheme.datasets.files import domain, read_pairs, read_task
from grapheme.domains.statements import MATH
from grapheme.errors import InvalidInputError


def write(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


def test_pairs_become_a_task_whose_sets_share_no_source(tmp_path: Path) -> None:
    records = [{"source": f"x + {i}", "target": f"{i} + x*1"} for i in range(20)]
    again = {"source": "0 + x", "target": "x"}
    task = read_task(write(tmp_path / "mine.jsonl", *records, again), "math")
    sets = task.generate(0)
    assert (task.name, task.domain) == ("mine", MATH)
    assert [len(part) for part in (sets.validation, sets.test)] == [2, 2] or len(sets.train) == 16
    sources = [{pair.source for pair in part} for part in (sets.train, sets.validation, sets.test)]
    assert sum(map(len, sources)) == len(set.union(*sources)) == 20


def test_each_side_may_name_its_domain(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"source": {"text": "two"}, "target": {"math": "1 + 1"}})
    (found,) = read_pairs(path)
    assert (found.before.name, found.after.name) == ("text", "math")
    assert found.pair.source.node_labels == ("t", "w", "o")
    assert read_task(path).domain.render(found.pair.target) == "1 + 1"


def test_a_pair_that_cannot_be_read_names_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"source": "x", "target": "x"}, {"source": "x + ", "target": "x"})
    with pytest.raises(InvalidInputError, match=r"Line 2 of .*p\.jsonl is no pair\. Cannot read the expression"):
        read_pairs(path, "math")


@pytest.mark.parametrize("line", ["{", "3", '{"source": "x"}', '{"source": 1, "target": "x"}'])
def test_a_line_that_is_no_pair_says_what_one_is(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"source": "x", "target": "x"}}\n\n{line}')
    with pytest.raises(InvalidInputError, match="Line 3 of "):
        read_pairs(path)


def test_an_empty_file_has_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("\n\n")
    with pytest.raises(InvalidInputError, match="There are no pairs in"):
        read_pairs(path)
    with pytest.raises(InvalidInputError, match="Cannot read the pairs"):
        read_pairs(tmp_path / "missing.jsonl")


def test_an_unknown_domain_names_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'math'"):
        domain("maths")


def test_statements_are_read_and_written() -> None:
    for text in ("3 + x", "x*y where x = 3, y = z", "d/dx 3 + x^2", "3 + 2*x = 7"):
        assert MATH.render(MATH.parse(text)) == text


@pytest.mark.parametrize("text", ["x where y = 3", "x where x = 1 + 2", "x where 3"])
def test_a_value_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        MATH.parse(text)
