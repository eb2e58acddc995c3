"""How kernels are run: in which order threads take turns, and what is watched; tests set these."""

from __future__ import annotations

import os

ORDERS = ("forward", "reversed", "shuffled")
order = os.environ.get("CUDA_ON_CPU_ORDER", "forward")
seed = 1

mode = os.environ.get("CUDA_ON_CPU_MODE", "plain")
"""``plain``, ``races`` (the race detector) or ``memory`` (AddressSanitizer, which has to be preloaded)."""
