"""Pictures of grids of bits: films as GIF, strips of moments as PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from grapheme.arrays import Bits
from grapheme.files import write_whole

OFF, ON, PAPER = (244, 241, 234), (38, 70, 83), (255, 255, 255)
"""Colours of a cell that is 0, one that is 1, and of the space between pictures."""

TARGET_PIXELS = 320
MOMENTS = 6
GAP = 8
FRAME_MILLISECONDS = 80
LAST_FRAME_MILLISECONDS = 1500


def save_gif(path: Path, frames: Sequence[Bits]) -> None:
    """Write a film of grids (height, width) bool."""
    images = [_image(frame, _scale(frame)).quantize(4) for frame in frames]
    durations = [FRAME_MILLISECONDS] * (len(images) - 1) + [LAST_FRAME_MILLISECONDS]
    buffer = io.BytesIO()
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0)
    write_whole(path, buffer.getvalue())


def save_png(path: Path, frames: Sequence[Bits]) -> None:
    """Write a strip of a few moments, from the first frame to the last."""
    moments = np.unique(np.linspace(0, len(frames) - 1, MOMENTS).round().astype(int))
    images = [_image(frames[moment], max(1, _scale(frames[moment]) // 2)) for moment in moments]
    width, height = images[0].size
    strip = Image.new("RGB", (len(images) * (width + GAP) - GAP, height), PAPER)
    for index, image in enumerate(images):
        strip.paste(image, (index * (width + GAP), 0))
    buffer = io.BytesIO()
    strip.save(buffer, "PNG")
    write_whole(path, buffer.getvalue())


def _image(frame: Bits, scale: int) -> Image.Image:
    colours = np.where(frame[..., None], np.array(ON), np.array(OFF)).astype(np.uint8)
    return Image.fromarray(colours.repeat(scale, axis=0).repeat(scale, axis=1))


def _scale(frame: Bits) -> int:
    """Return how many pixels along its side a cell gets."""
    height, width = frame.shape
    return max(1, TARGET_PIXELS // int(max(height, width)))
