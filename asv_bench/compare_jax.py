"""One checkerboard training step here and in JAX written the published way, in one run.

The published way evaluates all sixteen operations of every gate and mixes them by the softmax of its logits; cells,
channels and kernels are vectorised, steps are a scan, and JAX differentiates the whole. Needs ``pip install jax``.

    python asv_bench/compare_jax.py [--steps 20] [--repeats 2]
"""

from __future__ import annotations

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.experiments.checkerboard import CHECKERBOARD


def sixteen(a, b):
    """All operations on soft bits, in the published order, on a last axis."""
    ab = a * b
    first = [jnp.zeros_like(a), ab, a - ab, a, b - ab, b, a + b - 2 * ab, a + b - ab]
    return jnp.stack(first + [1 - operation for operation in reversed(first)], axis=-1)


def layer(x, logits, a, b):
    """(..., inputs) -> (..., gates)."""
    return jnp.sum(sixteen(x[..., a], x[..., b]) * jax.nn.softmax(logits), axis=-1)


def step(logits, wires, grids):
    """One step of grids (batch, height, width, channel), zero outside."""
    height, width = grids.shape[1:3]
    padded = jnp.pad(grids, ((0, 0), (1, 1), (1, 1), (0, 0)))
    near = jnp.stack([padded[:, y : y + height, x : x + width] for y in range(3) for x in range(3)], axis=-1)
    seen = jnp.repeat(near[..., None, :], logits["perceive"][0].shape[0], axis=-2)  # (..., channel, kernel, 9)
    for table, (a, b) in zip(logits["perceive"], wires["perceive"], strict=True):
        seen = layer(seen, table, a, b)
    x = jnp.concatenate([grids, seen.swapaxes(-1, -2).reshape(*grids.shape[:3], -1)], axis=-1)
    for table, (a, b) in zip(logits["update"], wires["update"], strict=True):
        x = layer(x, table, a, b)
    return x


def seconds(call, repeats):
    """Return the shortest of a few calls."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    """Print the loss by both, and the seconds of a step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=CHECKERBOARD.steps)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()

    batch = CHECKERBOARD.batch(0, 0, 0)
    model = CHECKERBOARD.trainer(0, 0, "float32", grapheme.get_backend("numba")).model
    logits = jax.tree.map(jnp.asarray, model.logits)
    wires = {"perceive": model.perceive, "update": model.update}
    x = jnp.asarray(batch.x.transpose(0, 2, 3, 1), jnp.float32)
    y = jnp.asarray(batch.y[:, 0], jnp.float32)

    @jax.jit
    def loss_and_grad(logits):
        def loss(logits):
            final, _ = jax.lax.scan(lambda s, _: (step(logits, wires, s), None), x, None, length=options.steps)
            return jnp.sum((final[..., 0] - y) ** 2)

        return jax.value_and_grad(loss)(logits)

    begun = time.perf_counter()
    value, _ = jax.block_until_ready(loss_and_grad(logits))
    first = time.perf_counter() - begun
    print(f"JAX the published way: loss {float(value):.4f}, first call with compilation {first:.1f} s")
    theirs = seconds(lambda: jax.block_until_ready(loss_and_grad(logits)), options.repeats)
    print(f"JAX the published way: {theirs:.3f} s a step (loss and gradient only)")
    for threads in sorted({1, cores()}):
        trainer = CHECKERBOARD.trainer(0, 0, "float32", grapheme.get_backend("numba", threads=threads))
        loss = trainer.model.loss_and_grad(batch.x, batch.y, options.steps, [0], backend=trainer.backend).loss
        ours = seconds(lambda: trainer.step(batch.x, batch.y, options.steps), 30)  # noqa: B023
        print(
            f"grapheme, numba on {threads} threads: loss {loss:.4f}, {1e3 * ours:.1f} ms a whole training step, "
            f"{np.round(theirs / ours)} times faster"
        )


if __name__ == "__main__":
    main()
