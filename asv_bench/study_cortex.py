"""What fusing brains brings, measured.

    python asv_bench/study_cortex.py --png docs/cortex.png     all that docs/cortex.md shows
    python asv_bench/study_cortex.py --train 30 --test 10 --max-steps 2 --no-sweep

A cortex against each of its brains alone and against one brain with as many parameters; what each domain loses when a
brain is zeroed; and whether embeddings collapse as the weight of collaboration grows. All are trained on the same
samples for as many epochs.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import click
import numpy as np

from grapheme.backend import Backend
from grapheme.backend.selection import get_backend
from grapheme.cortex.answer import answer, is_right
from grapheme.cortex.brain import Brain
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.cortex.model import Cortex
from grapheme.cortex.preparation import Prepared, read_in
from grapheme.cortex.samples import Sample, SampleSets, mixed
from grapheme.cortex.shipped import CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN
from grapheme.cortex.thought import think
from grapheme.cortex.trainer import CollaborativeCortexTrainer
from grapheme.datasets.drawing import Sizes
from grapheme.kernels.fusion_arrays import FusionLayout
from grapheme.transform.model import GraphEditNet, layouts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BRAINS = {brain.name: brain for brain in (CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN)}
CONFIG = CollaborativeCortexConfig(learning_rate=0.002, embed_dim=32, hidden_dim=64)
WEIGHTS = (0.0, 0.3, 3.0)


@final
@dataclass(frozen=True)
class Scores:
    """How a model does on held-out samples."""

    parameters: int
    right: dict[str, float]
    """The share of right answers by domain."""
    chosen: float
    """The share of samples whose own brain had the largest weight."""

    @property
    def mean(self) -> float:
        """The share of right answers over all domains, of which there is as much of each."""
        return sum(self.right.values()) / len(self.right)


def score(cortex: Cortex, samples: Sequence[Sample], backend: Backend) -> Scores:
    """Return how a cortex does; every output is judged in the domain of its sample."""
    results = answer(cortex, [sample.source for sample in samples], backend)
    right: dict[str, list[bool]] = {name: [] for name in BRAINS}
    for result, sample in zip(results, samples, strict=True):
        right[sample.domain].append(is_right(result, sample, BRAINS[sample.domain].domain))
    chosen = np.mean([result.brain == sample.domain for result, sample in zip(results, samples, strict=True)])
    return Scores(cortex.size, {name: float(np.mean(each)) for name, each in right.items()}, float(chosen))


def zeroed(cortex: Cortex, name: str, backend: Backend) -> Cortex:
    """Return the cortex with all parameters of one brain's encoder set to 0."""
    networks = [GraphEditNet.from_tensors(network.tensors()) for network in cortex.networks]
    changed = Cortex(cortex.brains, networks, cortex.fusion, cortex.config)
    part = f"{name}.encoder"
    parameters = cortex.on(backend)
    changed.set_parameters(parameters | {part: backend.xp.zeros_like(parameters[part])}, backend)
    return changed


def alone(brain: Brain, samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples that one brain can read on both sides, as samples of its own domain."""
    return [
        Sample(sample.source, sample.target, brain.name)
        for sample in samples
        if brain.parse(sample.source) is not None and brain.parse(sample.target) is not None
    ]


def as_large(brain: Brain, samples: Sequence[Sample], size: int) -> CollaborativeCortexConfig:
    """Return settings by which one brain has about as many parameters, and no fewer."""
    network = Cortex.build(alone(brain, samples), CONFIG, [brain]).networks[0]
    width = CONFIG.embed_dim
    while _size(network, width) < size:
        width += 4
    return dataclasses.replace(CONFIG, embed_dim=width)


def _size(network: GraphEditNet, width: int) -> int:
    parts = layouts(network.vocabulary, network.space, dataclasses.replace(network.shape, width=width))
    return sum(part.size for part in (*parts, FusionLayout(1, width, CONFIG.hidden_dim)))


def spread(cortex: Cortex, samples: Sequence[Prepared], backend: Backend) -> tuple[float, float]:
    """Return how far apart brains' views of a sample are, and how much a brain's views differ between samples."""
    thought = think(cortex, samples, backend)
    found, *_ = backend.cortex.collaborate(cortex.fusion.layout, thought.rows, thought.embeddings)
    distances, embeddings = backend.to_numpy(found), backend.to_numpy(thought.embeddings)
    several = np.diff(thought.rows.offsets) > 1
    views = [embeddings[thought.rows.brains == brain] for brain in np.unique(thought.rows.brains)]
    return float(np.sqrt(distances[several].mean())), float(np.mean([view.std(axis=0).mean() for view in views]))


@final
@dataclass
class Study:
    """Everything that is measured, on one set of samples."""

    sets: SampleSets
    epochs: int
    backend: Backend

    def trained(
        self, cortex: Cortex, samples: Sequence[Sample], prepared: dict[Sample, Prepared] | None = None
    ) -> Cortex:
        """Return a cortex after the study's epochs."""
        trainer = CollaborativeCortexTrainer(cortex, self.backend, prepared=prepared)
        trainer.train(samples, self.epochs)
        return trainer.model

    def fused(self) -> tuple[Cortex, dict[Sample, Prepared]]:
        """Return a trained cortex of all brains, and the samples as it read them."""
        prepared: dict[Sample, Prepared] = {}
        cortex = Cortex.build(self.sets.train, CONFIG, tuple(BRAINS.values()))
        return self.trained(cortex, self.sets.train, prepared), prepared

    def without_confidence(self) -> Scores:
        """Return how a cortex does whose brains are as confident as each other: what its attention learns by itself."""
        brains = tuple(dataclasses.replace(brain, evidence=lambda _: (1, 0)) for brain in BRAINS.values())
        cortex = self.trained(Cortex.build(self.sets.train, CONFIG, brains), self.sets.train)
        return score(cortex, self.sets.test, self.backend)

    def one(self, brain: Brain, config: CollaborativeCortexConfig = CONFIG) -> Scores:
        """Return how one brain does alone, trained on everything that it can read."""
        samples = alone(brain, self.sets.train)
        cortex = self.trained(Cortex.build(samples, config, [brain]), samples)
        return score(cortex, self.sets.test, self.backend)

    def swept(self, weight: float, cortex: Cortex, prepared: dict[Sample, Prepared]) -> dict[str, float]:
        """Return how a cortex does with a weight of collaboration; ``cortex`` is the one with the usual weight."""
        if weight != CONFIG.collaboration_weight:
            config = dataclasses.replace(CONFIG, collaboration_weight=weight)
            fresh = Cortex.build(self.sets.train, config, tuple(BRAINS.values()))
            cortex = self.trained(fresh, self.sets.train, prepared)
        scores = score(cortex, self.sets.test, self.backend)
        held_out = [read_in(cortex.read(sample.source)) for sample in self.sets.test]
        apart, differ = spread(cortex, [sample for sample in held_out if sample.fired], self.backend)
        return {"weight": weight, "right": scores.mean, "chosen": scores.chosen, "apart": apart, "differ": differ}


@click.command()
@click.option("--train", default=300, show_default=True, help="Samples of each domain to learn from.")
@click.option("--test", default=100, show_default=True, help="Samples of each domain to judge by.")
@click.option("--max-steps", default=30, show_default=True)
@click.option("--threads", type=int)
@click.option("--sweep/--no-sweep", default=True, show_default=True, help="Try other weights of collaboration.")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), help="Draw the results into FILE.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the results as JSON into FILE.")
def main(
    train: int, test: int, epochs: int, threads: int | None, sweep: bool, png: Path | None, out: Path | None
) -> None:
    """Measure what fusing brains brings."""
    backend = get_backend(threads=threads)
    study = Study(mixed(0, Sizes(train, 10, test)), epochs, backend)
    cortex, prepared = study.fused()
    models = {"cortex": score(cortex, study.sets.test, backend)}
    _show("cortex", models["cortex"])
    matrix = {name: score(zeroed(cortex, name, backend), study.sets.test, backend) for name in BRAINS}
    for name, scores in matrix.items():
        _show(f"cortex, {name} zeroed", scores)
    blind = study.without_confidence()
    _show("cortex, equally confident brains", blind)
    sweeps = [study.swept(weight, cortex, prepared) for weight in WEIGHTS] if sweep else []
    for row in sweeps:
        click.echo("\t".join(f"{name} {value:.3f}" for name, value in row.items()))
    for name, brain in BRAINS.items():
        models[f"{name} alone"] = study.one(brain)
        _show(f"{name} alone", models[f"{name} alone"])
    models["one large brain"] = study.one(TEXT_BRAIN, as_large(TEXT_BRAIN, study.sets.train, cortex.size))
    _show("one large brain", models["one large brain"])
    found = {
        "models": {name: dataclasses.asdict(scores) for name, scores in models.items()},
        "zeroed": {name: scores.right for name, scores in matrix.items()},
        "equally confident": dataclasses.asdict(blind),
        "sweep": sweeps,
    }
    if out is not None:
        out.write_text(json.dumps(found, indent=1) + "\n")
    if png is not None:
        draw(png, models, matrix, sweeps)


def _show(name: str, scores: Scores) -> None:
    parts = "\t".join(f"{domain} {share:.3f}" for domain, share in scores.right.items())
    click.echo(f"{name}\t{scores.parameters} parameters\t{parts}\tall {scores.mean:.3f}\tchosen {scores.chosen:.3f}")


def draw(path: Path, models: dict[str, Scores], zeroed: dict[str, Scores], sweep: list[dict[str, float]]) -> None:
    """Draw who does how well, what is lost by zeroing a brain, and the sweep."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 3.8), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(3, 2.2, 2.4))
    _bars(axes[0], models)
    _matrix(axes[1], {"nothing": models["cortex"], **zeroed})
    _sweep(axes[2], sweep)
    figure.savefig(path, dpi=110)


def _bars(axis: Axes, models: dict[str, Scores]) -> None:
    domains = list(models["cortex"].right)
    places, width = np.arange(len(models)), 0.8 / len(domains)
    for i, domain in enumerate(domains):
        shares = [scores.right[domain] for scores in models.values()]
        axis.bar(places + (i - 1) * width, shares, width, label=domain)
    axis.set_xticks(places, [name.replace(" ", "\n") for name in models])
    axis.set(ylim=(0, 1), ylabel="right on held-out samples", title="fused, alone, and one as large")
    axis.legend(loc="upper center", fontsize=8)


def _matrix(axis: Axes, rows: dict[str, Scores]) -> None:
    domains = list(rows["nothing"].right)
    shares = np.array([[scores.right[domain] for domain in domains] for scores in rows.values()])
    axis.imshow(shares, vmin=0, vmax=1, cmap="viridis", aspect="auto")
    axis.set_xticks(range(len(domains)), domains)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.set(xlabel="domain", ylabel="brain that is zeroed", title="right on held-out samples")
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share < 0.6 else "black"
        axis.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour)


def _sweep(axis: Axes, sweep: list[dict[str, float]]) -> None:
    names = {"right": "right answers", "apart": "views of brains apart", "differ": "views of samples differ"}
    places = range(len(sweep))
    for name, label in names.items():
        axis.plot(places, [row[name] for row in sweep], marker="o", label=label)
    axis.set_xticks(places, [f"{row['weight']:g}" for row in sweep])
    axis.set(xlabel="weight of collaboration", ylim=(0, None), title="no collapse")
    axis.legend(fontsize=8)


if __name__ == "__main__":
    main()
