"""The cortex: brains with networks of their own, and the layer that fuses them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Self, final

import numpy as np

from grapheme.arrays import Array, Floats
from grapheme.backend import Backend
from grapheme.cortex.brain import Brain
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.cortex.fusion import FUSION, FusionLayer
from grapheme.cortex.reading import Reading, read, vocabulary_of
from grapheme.cortex.registry import BrainRegistry
from grapheme.cortex.samples import Sample
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.fusion_arrays import FusionLayout
from grapheme.models.model import AbstractModel, Tensors, from_json_tensor, json_tensor
from grapheme.models.parameters import Parameters
from grapheme.rng import generator
from grapheme.transform.lessons import Aligned
from grapheme.transform.model import GraphEditNet, NetShape
from grapheme.transform.supervision import Plan

LAYERS = 4


@final
class Cortex(AbstractModel):
    """Brains, a network for each, and a fusion layer; parameters are vectors by name, ``math.encoder`` and so on.

    ``plans`` say which nodes become which in the samples that it was built for, found by looking at all of them.
    """

    kind = "cortex"

    def __init__(
        self,
        brains: Sequence[Brain],
        networks: Sequence[GraphEditNet],
        fusion: FusionLayer,
        config: CollaborativeCortexConfig,
        plans: dict[Sample, Plan] | None = None,
    ) -> None:
        self.brains, self.networks = tuple(brains), tuple(networks)
        self.fusion, self.config, self.plans = fusion, config, plans or {}
        own = {f"{brain.name}.": network.parameters for brain, network in zip(self.brains, self.networks, strict=True)}
        self._parameters = Parameters.joined({**own, "": fusion.parameters})

    @classmethod
    def build(
        cls,
        samples: Iterable[Sample],
        config: CollaborativeCortexConfig | None = None,
        brains: Sequence[Brain] | None = None,
        dtype: str = "float32",
        seed: int = 0,
        rng: np.random.Generator | None = None,
    ) -> Self:
        """Return a cortex with fresh parameters for the labels and edits of samples.

        Its brains are those of the samples' domains, unless others are given.
        """
        config, rng, samples = config or CollaborativeCortexConfig(), rng or generator(seed, "wiring"), list(samples)
        if not samples:
            raise InvalidInputError("The dataset is empty; give samples to learn from.")
        chosen = brains or BrainRegistry.from_plugins().choose(sample.domain for sample in samples)
        shape = NetShape(config.embed_dim, LAYERS)
        aligned = [_aligned(brain, samples) for brain in chosen]
        networks = [
            brain.network(pairs.vocabulary, pairs.space, shape, dtype, rng)
            for brain, pairs in zip(chosen, aligned, strict=True)
        ]
        fusion = FusionLayer.build(len(chosen), config.embed_dim, config.hidden_dim, dtype, rng)
        plans = {
            sample: plan
            for brain, pairs in zip(chosen, aligned, strict=True)
            for sample, plan in zip(_own(brain, samples), pairs.plans, strict=True)
        }
        return cls(chosen, networks, fusion, config, plans)

    def read(self, text: str) -> Reading:
        """Return what the brains make of an input, and which fire."""
        return read(text, self.brains, [network.vocabulary for network in self.networks], self.config)

    def index(self, name: str) -> int:
        """Return the number of a brain, or say which there are."""
        names = [brain.name for brain in self.brains]
        return names.index(BrainRegistry(self.brains).get(name).name)

    @property
    def parameters(self) -> dict[str, Floats]:
        """All vectors of parameters by name, as numpy arrays."""
        return self._parameters.tensors()

    def on(self, backend: Backend) -> dict[str, Array]:
        """Return all vectors of parameters by name, as arrays of ``backend``."""
        return self._parameters.on(backend)

    def set_parameters(self, parameters: dict[str, Array], backend: Backend) -> None:
        """Replace all vectors of parameters by arrays of ``backend``."""
        self._parameters.replace(parameters, backend)

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self._parameters.size

    @property
    def dtype(self) -> str:
        """The dtype of the parameters."""
        return str(self.parameters[FUSION].dtype)

    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""
        self._parameters.place(backend)

    def tensors(self) -> Tensors:
        """Return all networks and the fusion layer as arrays."""
        facts = {
            "brains": [brain.name for brain in self.brains],
            "config": asdict(self.config),
            "fusion": asdict(self.fusion.layout),
        }
        own = {
            f"{brain.name}.{name}": array
            for brain, network in zip(self.brains, self.networks, strict=True)
            for name, array in network.tensors().items()
        }
        fusion = self.fusion.parameters.tensors()
        return {**own, **fusion, "cortex": json_tensor(facts)}

    @classmethod
    def from_tensors(cls, tensors: Tensors, registry: BrainRegistry | None = None) -> Self:
        """Return the cortex that ``tensors`` describe; its brains must be installed."""
        facts: dict[str, Any] = from_json_tensor(tensors["cortex"])
        registry = registry or BrainRegistry.from_plugins()
        brains = [registry.get(name) for name in facts["brains"]]
        networks = [GraphEditNet.from_tensors(_under(f"{brain.name}.", tensors)) for brain in brains]
        fusion = FusionLayer(FusionLayout(**facts["fusion"]), tensors[FUSION])
        return cls(brains, networks, fusion, CollaborativeCortexConfig(**facts["config"]))


def _under(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)}


def _own(brain: Brain, samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.domain == brain.name]


def _aligned(brain: Brain, samples: Sequence[Sample]) -> Aligned:
    """Return the samples of a brain's domain, aligned, with all labels that it meets often enough in any."""
    own = [_graphs(brain, sample) for sample in _own(brain, samples)]
    if not own:
        raise InvalidInputError(f"No sample is of the domain '{brain.name}', so that brain has nothing to learn from.")
    foreign = [brain.parse(sample.source) for sample in samples if sample.domain != brain.name]
    vocabulary = vocabulary_of([graph for pair in own for graph in pair], [graph for graph in foreign if graph])
    return Aligned.of(own, vocabulary=vocabulary)


def _graphs(brain: Brain, sample: Sample) -> tuple[AbstractGraph, AbstractGraph]:
    source, target = brain.parse(sample.source), brain.parse(sample.target)
    if source is None or target is None:
        wrong = sample.source if source is None else sample.target
        raise InvalidInputError(f"The brain '{brain.name}' cannot read '{wrong}', which is said to be of its domain.")
    return source, target
