"""Pictures that a user brings: what is cut out of them, kept, shown, and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from grapheme.experiments.registry import experiment
from PIL import Image

from grapheme.cli import cli
from grapheme.errors import InvalidInputError
from grapheme.experiments.grow import FILE, grow_experiment, kept_picture, preview, read_picture


@pytest.fixture
def picture(tmp_path):
    """A PNG of 40x20: the left half red, the right half blue and transparent at its right end."""
    pixels = np.zeros((20, 40, 4), np.uint8)
    pixels[:, :20] = (255, 0, 0, 255)
    pixels[:, 20:30] = (0, 0, 255, 255)
    pixels[:, 30:] = (255, 255, 255, 0)
    path = tmp_path / "halves.png"
    Image.fromarray(pixels).save(path)
    return path


def test_a_picture_is_fitted_into_a_square_of_bits(picture):
    bits = read_picture(picture, 8, 0.5)
    red, blue = np.zeros((2, 8, 8), np.bool_)
    red[2:6, :4] = True
    blue[2:6, 4:6] = True
    np.testing.assert_array_equal(bits, [red, np.zeros((8, 8)), blue])


def test_black_and_white_takes_one_bit(tmp_path):
    pixels = np.tile(np.array([0, 255], np.uint8).repeat(8), (16, 1))
    Image.fromarray(pixels).save(tmp_path / "half.png")
    bits = read_picture(tmp_path / "half.png", 16, 0.5)
    np.testing.assert_array_equal(bits, (pixels > 0)[None])
    assert grow_experiment(bits).loss_channels == (0,)


def test_the_threshold_decides_what_counts(tmp_path):
    pixels = np.repeat(np.array([50, 100, 150, 200], np.uint8), 4)[None].repeat(16, axis=0)
    Image.fromarray(pixels).save(tmp_path / "greys.png")
    for threshold, columns in ((0.3, 12), (0.5, 8), (0.7, 4)):
        assert read_picture(tmp_path / "greys.png", 16, threshold).sum() == 16 * columns


def test_a_preview_names_the_colours(picture):
    assert preview(read_picture(picture, 8, 0.5)).splitlines()[3] == "RRRRRRRRBBBB...."


def test_a_run_keeps_its_picture(picture, tmp_path):
    folder = tmp_path / "run"
    arguments = ["train", "grow", "--image", str(picture), "--size", "8", "--epochs", "2", "--out", str(folder)]
    result = CliRunner().invoke(cli, [*arguments, "--backend", "numba", "--threads", "1"])
    assert result.exit_code == 0, result.output
    picture.unlink()
    np.testing.assert_array_equal(kept_picture(folder), experiment("grow", folder).target(np.zeros((1, 64, 8, 8)))[0])
    assert "RRRRRRRRBBBB...." in result.output
    evaluated = CliRunner().invoke(cli, ["evaluate", str(folder), "--json"])
    assert json.loads(evaluated.output)["experiment"] == "grow"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grow"], "grow --image FILE"),
        (["life", "--image", "a.png"], "grow --image FILE"),
        (["grow", "--image", "no-such.png"], "Cannot read the picture no-such.png: No such file"),
        (["grow", "--image", __file__], "is not a picture"),
    ],
)
def test_what_is_no_picture_is_a_sentence(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["train", *arguments])
    assert result.exit_code == 1
    assert words in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("size", "threshold", "words"), [(7, 0.5, "8 to 32"), (33, 0.5, "8 to 32"), (8, 0.0, "between 0 and 1")]
)
def test_sizes_and_thresholds_have_limits(picture, size, threshold, words):
    with pytest.raises(InvalidInputError, match=words):
        read_picture(picture, size, threshold)


def test_one_colour_is_refused(tmp_path):
    Image.new("RGB", (16, 16), "white").save(tmp_path / "white.png")
    with pytest.raises(InvalidInputError, match="one colour"):
        read_picture(tmp_path / "white.png", 16, 0.5)


def test_a_cut_off_picture_is_refused(picture):
    picture.write_bytes(picture.read_bytes()[:60])
    with pytest.raises(InvalidInputError, match=str(FILE.split(".")[1]).lower()):
        read_picture(picture, 8, 0.5)
