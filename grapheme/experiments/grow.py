"""Any picture, grown out of nothing as the letter is: resized, and each colour cut down to a bit."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.letter import LETTER
from grapheme.options import Options

NAME = "grow"
FILE = "target.png"
"""The picture's name in a run's folder."""

SIZES = (8, 32)
"""The smallest and the largest side; what happens at an edge must reach the middle and come together there."""


def load(options: Options, folder: Path | None) -> AutomatonExperiment:
    """Return the experiment that grows the picture that a run keeps, else that of the file in the options."""
    if folder is not None and (folder / FILE).is_file():
        picture = kept_picture(folder)
    else:
        picture = read_picture(Path(options["file"]), options["size"], options["threshold"])
    return grow_experiment(picture).configured(options)


def grow_experiment(picture: Bits) -> AutomatonExperiment:
    """Return the experiment that grows ``picture (bits, height, width)``: 1 bit for black and white, 3 for colours."""
    bits, height, width = picture.shape
    return dataclasses.replace(
        LETTER,
        name=NAME,
        height=height,
        width=width,
        steps=max(height, width) - 1,
        target=lambda grids: np.broadcast_to(picture, (len(grids), *picture.shape)),
        loss_channels=tuple(range(bits)),
        attached={FILE: _png(picture)},
        introduction=f"{preview(picture)}\n{height}x{width} cells to grow",
    )


def read_picture(path: Path, size: int, threshold: float) -> Bits:
    """Return a picture file as bits (1 or 3, size, size), its longer side fitted; 1 is above ``threshold``.

    What is transparent is black, and so is what is left of the square.
    """
    if not SIZES[0] <= size <= SIZES[1]:
        raise InvalidInputError(f"A picture is grown at {SIZES[0]} to {SIZES[1]} cells a side; got {size}.")
    if not 0 < threshold < 1:
        raise InvalidInputError(f"A threshold lies between 0 and 1; got {threshold:g}.")
    image = _opened(path)
    square = ImageOps.pad(image, (size, size), Image.Resampling.BOX, color="black")
    bits = (np.asarray(square, np.float64) > 255 * threshold).transpose(2, 0, 1)
    if bits.all() or not bits.any():
        raise InvalidInputError(f"{path} comes out in one colour; try another --threshold than {threshold:g}.")
    return bits[:1] if (bits == bits[:1]).all() else bits


def kept_picture(folder: Path) -> Bits:
    """Return the picture that a run's folder keeps."""
    bits = np.asarray(_opened(folder / FILE)).transpose(2, 0, 1) > 0
    return bits[:1] if (bits == bits[:1]).all() else bits


def preview(picture: Bits) -> str:
    """Return the picture as text, two letters a cell: the initials of the eight colours, dots for black."""
    names = np.array(list(".RGYBMCW"))
    full = np.broadcast_to(picture, (3, *picture.shape[1:]))
    return "\n".join("".join(2 * name for name in row) for row in names[full[0] + 2 * full[1] + 4 * full[2]])


def _opened(path: Path) -> Image.Image:
    """Return a file's picture in three colours, laid on black."""
    try:
        with Image.open(path) as image:
            layer = image.convert("RGBA")
    except UnidentifiedImageError:
        raise InvalidInputError(f"{path} is not a picture; give a PNG, JPEG, GIF or BMP file.") from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"Cannot read the picture {path}: {reason}.") from error
    black = Image.new("RGBA", layer.size, "black")
    return Image.alpha_composite(black, layer).convert("RGB")


def _png(picture: Bits) -> bytes:
    full = np.broadcast_to(picture, (3, *picture.shape[1:])).transpose(1, 2, 0)
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(full * np.uint8(255))).save(stream, "PNG")
    return stream.getvalue()
