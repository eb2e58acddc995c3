"""Contract of the group ``cortex``: message passing over graphs, scores of edits, losses, and all their gradients.

Graphs, edits and targets are records of arrays of the host, as a netlist is; parameters are one vector that a layout
describes. Gradients of parameters come as partial sums ``(groups, parameters)``, one for each ``GROUP`` examples in
order; the core adds them up in that order. LeakyReLU has the slope ``SLOPE``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from grapheme.arrays import Array
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout

Settings = tuple[tuple[float, float, float], int, float]
"""Of the structural loss: weights, iterations and temperature."""

SLOPE = 0.01
SPREAD = 1.0
"""The deviation below which a brain's embeddings are pushed apart."""
EPSILON = 1e-5
"""Added to the variance that a layer is normalised by."""


class CortexKernels(Protocol):
    """What ``cortex.py`` of a backend holds."""

    def encode(self, layout: EncoderLayout, graphs: GraphArrays, parameters: Array) -> tuple[Array, Array]:
        """Return the states (layers + 1, nodes, width) and the sums (layers, nodes, width) under the activations.

        The first state of a node is the sum of the rows ``label``, ``into`` and ``out_of``. A layer sums up, at
        each node, the bias, the state times ``weights[0]``, and for each relation r the sum (or mean) of the states
        that messages come from times ``weights[1 + r]``; the next state is the state plus LeakyReLU of these sums,
        normalised if the layout says so. All layers may share one set of parameters. The last state is the nodes'
        embedding.
        """
        ...

    def encode_grad(
        self,
        layout: EncoderLayout,
        graphs: GraphArrays,
        parameters: Array,
        states: Array,
        sums: Array,
        grad: Array,
    ) -> Array:
        """Pull ``grad (nodes, width)``, the gradient of the last state, back to the parameters."""
        ...

    def edit_scores(
        self, layout: HeadsLayout, edits: EditArrays, parameters: Array, embeddings: Array
    ) -> tuple[Array, Array, Array]:
        """Return logits of nodes (nodes, 1 + labels), slots (nodes, slots, 1 + labels) and pairs (pairs, 1 + kinds).

        Column 0 means that nothing is there. The label that a node has gets ``keep`` on top, whose last number is a
        bias. An inserted node's embedding is LeakyReLU of its anchor's times ``insert`` of the slot plus its bias. A
        pair's hidden layer is LeakyReLU of the first end times ``first``, the second times ``second`` (``first`` too
        in an undirected graph), the rows of ``pair`` for its features and the bias; its logits are that times
        ``edge``, plus the bias, plus the rows of ``direct`` for its features.
        """
        ...

    def edit_scores_grad(
        self,
        layout: HeadsLayout,
        edits: EditArrays,
        parameters: Array,
        embeddings: Array,
        grad_nodes: Array,
        grad_slots: Array,
        grad_pairs: Array,
    ) -> tuple[Array, Array]:
        """Pull the gradients of the logits back to the embeddings (nodes, width) and to the parameters."""
        ...

    def edit_loss(
        self, edits: EditArrays, targets: EditTargets, nodes: Array, slots: Array, pairs: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Return the cross entropy of each example (examples,), summed over its logits, and the logits' gradients."""
        ...

    def structural_loss(
        self,
        edits: EditArrays,
        targets: WholeTargets,
        nodes: Array,
        slots: Array,
        pairs: Array,
        weights: tuple[float, float, float],
        iterations: int,
        temperature: float,
    ) -> tuple[Array, Array, Array, Array]:
        """Return how far each example's soft graph is from its target (examples,), and the logits' gradients.

        Every node and inserted node of ``edits`` is a soft node: its softmax ``X[i]`` says what it is, nothing being
        column 0. A pair's softmax, times how much both ends are there, is the soft edge ``A[k, i, j]`` of each kind
        k; in an undirected graph also ``A[k, j, i]``. Blank nodes are added to the smaller of soft graph and target.
        ``T`` assigns soft nodes to those of the target, ``Y`` and ``B``: Sinkhorn's algorithm in the log domain,
        ``iterations`` times rows then columns, at ``temperature``, on the squared distances of what nodes are, plus
        those of the sums of what they are joined to by edges that leave, and by edges that enter.

        The loss is ``weights`` times three sums: the distances ``|X[i] - Y[j]|^2`` under T; the squared differences of
        A and ``T B T'``, all kinds and ordered pairs; and the squared differences, over soft nodes, of the number of
        soft triangles and of those under T. In a triangle, nodes are joined by an edge of any kind, one way or both.
        """
        ...

    def learn(
        self,
        encoder: EncoderLayout,
        heads: HeadsLayout,
        graphs: GraphArrays,
        edits: EditArrays,
        targets: EditTargets | WholeTargets,
        encoder_parameters: Array,
        heads_parameters: Array,
        settings: Settings | None,
    ) -> tuple[Array, tuple[Array, Array, Array], Array, Array]:
        """Return the loss of each example (examples,), the logits, and the gradients of both vectors of parameters.

        The loss is ``edit_loss`` if there are no ``settings``, else ``structural_loss`` with these.
        """
        ...

    def encode_brains(
        self, layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Array]
    ) -> list[tuple[Array, Array]]:
        """Return what ``encode`` does for each brain, given its own layout, graphs and parameters."""
        ...

    def encode_brains_grad(
        self,
        layouts: Sequence[EncoderLayout],
        graphs: Sequence[GraphArrays],
        parameters: Sequence[Array],
        encoded: Sequence[tuple[Array, Array]],
        grads: Sequence[Array],
    ) -> list[Array]:
        """Return what ``encode_grad`` does for each brain."""
        ...

    def decode_brains(
        self,
        layouts: Sequence[HeadsLayout],
        edits: Sequence[EditArrays],
        targets: Sequence[EditTargets],
        parameters: Sequence[Array],
        embeddings: Sequence[Array],
    ) -> list[tuple[Array, tuple[Array, Array, Array], Array, Array]]:
        """Return for each brain the losses of ``edit_loss``, the logits, and the losses' gradients.

        These are the gradients of the embeddings, and of the parameters as partial sums.
        """
        ...

    def node_sums(self, graphs: GraphArrays, rows: Array) -> Array:
        """Return the sums (graphs, width) of the rows (nodes, width) of each graph's nodes; no graph is empty."""
        ...

    def fuse(
        self, layout: FusionLayout, rows: FusionArrays, parameters: Array, embeddings: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Return sums (rows, hidden), weights (rows,), mixtures (samples, embed), their sums, and contexts likewise.

        A row's sums are its embedding times ``attend``, plus the brain's row of ``identity``, plus its confidence
        times ``trust``. The weights of a sample are the softmax of LeakyReLU of the sums times ``query``. The mixture
        is the sum of the embeddings by weight; LeakyReLU of its sums, the mixture times ``project`` plus ``bias``, is
        the sample's context.
        """
        ...

    def fuse_grad(
        self,
        layout: FusionLayout,
        rows: FusionArrays,
        parameters: Array,
        embeddings: Array,
        fused: tuple[Array, Array, Array, Array, Array],
        grad_weights: Array,
        grad_contexts: Array,
    ) -> tuple[Array, Array]:
        """Pull the gradients of weights and contexts back to the embeddings (rows, embed) and to the parameters."""
        ...

    def collaborate(
        self, layout: FusionLayout, rows: FusionArrays, embeddings: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Return distances (samples,) and shortfalls (brains,), and the gradient (rows, embed) of the sum of each.

        The distance of a sample is the mean, over pairs of its brains, of the mean squared difference of their
        embeddings; 0 for fewer than two. The shortfall of a brain is the mean, over what its embeddings consist of, of
        how far its deviation over the batch stays below ``SPREAD`` (Bardes, Ponce and LeCun 2022); 0 for fewer than
        two rows.
        """
        ...
