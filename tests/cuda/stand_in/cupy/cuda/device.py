"""A device that is small on purpose, so that thread blocks outnumber what fits at once."""

from __future__ import annotations


class Device:
    """The one device there is."""

    id = 0
    compute_capability = "75"

    def __init__(self, device=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __eq__(self, other):
        return isinstance(other, Device)

    def __hash__(self):
        return 0
