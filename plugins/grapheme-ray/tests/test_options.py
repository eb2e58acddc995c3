"""The options on the command line and in the environment, and what they become."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from click.testing import CliRunner
from grapheme_ray.settings import OPTIONS, Settings

import grapheme
from grapheme.cli import cli
from grapheme.errors import BackendUnavailableError, InvalidInputError


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, list(map(str, arguments)))


def settings(**given):
    """What the backend is loaded with."""
    return grapheme.get_backend("ray", options=given).batch._team.settings


def test_every_option_is_a_setting():
    assert [option.name for option in OPTIONS] == [field.name for field in fields(Settings)]


@pytest.mark.parametrize(
    "command", ["train life", "resume", "run", "verify", "evaluate", "graph matrix", "graph levels", "graph flow"]
)
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
    assert rows["ray"]["kernels"] == ["cell", "batch", "graph"]
    monkeypatch.setenv("GRAPHEME_RAY_ADDRESS", "127.0.0.1:1")
    rows = {row["name"]: row for row in json.loads(invoke("backends", "--json").stdout)}
    assert "No cluster answers at 127.0.0.1:1" in rows["ray"]["reason"]


def test_a_variable_that_is_wrong_leaves_the_list_of_backends_whole(invoke, monkeypatch):
    monkeypatch.setenv("GRAPHEME_RAY_WORKERS", "0")
    rows = {row["name"]: row for row in json.loads(invoke("backends", "--json").stdout)}
    assert rows["numpy"]["usable"]
    assert rows["ray"]["reason"] == "Set GRAPHEME_RAY_WORKERS to something else: --workers is at least 1; got 0."


def test_the_environment_speaks_where_no_option_does(monkeypatch):
    assert settings() == Settings("numba", None, None, None, "exact")
    for name, value in {"INNER": "numpy", "WORKERS": "5", "WORKER_THREADS": "1", "MERGE": "shards"}.items():
        monkeypatch.setenv(f"GRAPHEME_RAY_{name}", value)
    assert settings() == Settings("numpy", 5, None, 1, "shards")
    assert settings(workers=2, merge="exact") == Settings("numpy", 2, None, 1, "exact")


BAD = [
    ("workers", "many", "--workers is a whole number; got 'many'."),
    ("workers", "0", "--workers is at least 1; got 0."),
    ("worker_threads", "0", "--worker-threads is at least 1; got 0."),
    ("merge", "exakt", "--merge is one of exact, shards; got 'exakt'. Did you mean 'exact'?"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_bad_settings_are_sentences(name, value, message):
    with pytest.raises(InvalidInputError) as caught:
        grapheme.get_backend("ray", options={name: value})
    assert str(caught.value) == message


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_bad_variables_are_sentences_that_name_them(monkeypatch, name, value, message):
    variable = f"GRAPHEME_RAY_{name.upper()}"
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError) as caught:
        grapheme.get_backend("ray")
    assert str(caught.value) == f"Set {variable} to something else: {message}"


@pytest.mark.parametrize(
    ("inner", "message"), [("ray", "There is no inner backend 'ray'"), ("nunpy", "Did you mean 'numpy'?")]
)
def test_an_inner_backend_that_is_none_is_a_sentence(inner, message):
    with pytest.raises(BackendUnavailableError) as caught:
        grapheme.get_backend("ray", options={"inner": inner})
    assert message in str(caught.value)
