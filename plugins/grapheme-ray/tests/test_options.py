"""The options on the command line, and what they become."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from grapheme_ray.settings import Settings, current

import grapheme
from grapheme.cli import cli
from grapheme.errors import BackendUnavailableError, InvalidInputError
from grapheme.plugins import plugins


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # adding them twice adds them once
        plugins().manager.hook.grapheme_commands(cli=cli)
    return lambda *arguments: CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.mark.parametrize("command", ["train", "resume", "run", "verify", "evaluate", "graph matrix"])
def test_every_command_with_a_backend_has_the_options(invoke, command):
    shown = invoke(*command.split(), "--help").output
    for option in ("--inner", "--workers", "--address", "--worker-threads", "--merge"):
        assert shown.count(f"{option} ") == 1


def test_options_without_the_backend_are_refused(invoke, tmp_path):
    result = invoke("train", "life", "--workers", 2, "--backend", "numba", "--out", "run")
    assert result.exit_code == 2
    assert "--workers needs --backend ray; the backend is 'numba'." in result.stderr
    assert not (tmp_path / "run").exists()


def test_the_backend_is_listed_without_starting_ray(invoke, monkeypatch):
    monkeypatch.setenv("GRAPHEME_RAY_WORKERS", "3")
    monkeypatch.setenv("GRAPHEME_RAY_INNER", "numpy")
    rows = {row["name"]: row for row in json.loads(invoke("backends", "--json").stdout)}
    assert rows["ray"]["device"] == "numpy on 3 workers here"
    monkeypatch.setenv("GRAPHEME_RAY_ADDRESS", "127.0.0.1:1")
    rows = {row["name"]: row for row in json.loads(invoke("backends", "--json").stdout)}
    assert "No cluster answers at 127.0.0.1:1" in rows["ray"]["reason"]


def test_the_environment_speaks_where_no_option_does(monkeypatch):
    assert current() == Settings("numba", None, None, None, "exact")
    for name, value in {"INNER": "numpy", "WORKERS": "5", "WORKER_THREADS": "1", "MERGE": "shards"}.items():
        monkeypatch.setenv(f"GRAPHEME_RAY_{name}", value)
    assert current() == Settings("numpy", 5, None, 1, "shards")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("WORKERS", "many", "Set GRAPHEME_RAY_WORKERS to a whole number; it is 'many'."),
        ("WORKERS", "0", "Give at least 1 as workers; got 0."),
        ("MERGE", "fast", "Set GRAPHEME_RAY_MERGE to one of exact, shards; it is 'fast'."),
    ],
)
def test_bad_settings_are_sentences(monkeypatch, name, value, message):
    monkeypatch.setenv(f"GRAPHEME_RAY_{name}", value)
    with pytest.raises(InvalidInputError) as caught:
        grapheme.get_backend("ray")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("inner", "message"), [("ray", "There is no inner backend 'ray'"), ("nunpy", "Did you mean 'numpy'?")]
)
def test_an_inner_backend_that_is_none_is_a_sentence(monkeypatch, inner, message):
    monkeypatch.setenv("GRAPHEME_RAY_INNER", inner)
    with pytest.raises(BackendUnavailableError) as caught:
        grapheme.get_backend("ray")
    assert message in str(caught.value)
