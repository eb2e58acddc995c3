import networkx as nx
import numpy as np
import pytest

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.errors import InvalidInputError
from grapheme.graph import (
    Graph,
    GraphemeGraph,
    MathGraph,
    dag_forward,
    dag_gradient,
    topological_generations,
    topological_levels,
)

BACKENDS = [("numpy", 1), ("numba", 1), ("numba", 2)]


@pytest.fixture(scope="module", params=BACKENDS, ids=lambda chosen: f"{chosen[0]}-{chosen[1]}")
def backend(request):
    name, threads = request.param
    if threads > cores():
        pytest.skip(f"needs {threads} cores")
    return grapheme.get_backend(name, threads=threads)


def random_dag(nodes, edges, seed):
    """Return a graph whose nodes are numbered in no order of the levels."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, nodes, (edges, 2)), axis=1)
    return Graph.from_edges(rng.permutation(nodes)[pairs[pairs[:, 0] < pairs[:, 1]]], nodes, directed=True)


def test_generations_are_those_of_networkx(backend):
    for seed in range(20):
        g = random_dag(30, 10 * (seed % 7), seed)
        wanted = [sorted(level) for level in nx.topological_generations(g.to_networkx())]
        assert [level.tolist() for level in topological_generations(g, backend)] == wanted
        levels = topological_levels(g, backend)
        assert all(levels[v] == i for i, level in enumerate(wanted) for v in level)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1), (1, 2), (2, 0)], "cycle: 0 -> 1 -> 2 -> 0;"),
        ([(0, 3), (3, 4), (4, 1), (1, 3), (4, 2)], "cycle: 1 -> 3 -> 4 -> 1;"),
        ([(0, 1), (1, 1)], "cycle: 1 -> 1;"),
        ([(i, (i + 1) % 50) for i in range(50)], "-> 10 -> ... -> 49 -> 0;"),
    ],
)
def test_a_cycle_is_shown(backend, edges, message):
    with pytest.raises(InvalidInputError, match=message):
        topological_levels(Graph.from_edges(edges, directed=True), backend)


def test_a_pass_worked_out_by_hand(backend):
    """Node 2 is 1*0.5 + 2*3 = 6.5; node 3 is LeakyReLU(-2*6.5 + 1*1) = -0.12; node 4 has no edges."""
    g = Graph.from_edges([(0, 2), (1, 2), (2, 3), (0, 3)], n=5, directed=True)
    weights = [0.5, 1.0, 3.0, -2.0]  # of 0->2, 0->3, 1->2, 2->3
    values = dag_forward(g, [1.0, 2.0, 9.0, 9.0, 7.0], weights, backend=backend)
    assert values == pytest.approx([1, 2, 6.5, -0.12, 7])
    gradient = dag_gradient(g, values, weights, [0, 0, 0, 1.0, 0], backend=backend)
    assert gradient.inputs == pytest.approx([0.01 * (1 - 2 * 0.5), 0.01 * -2 * 3, 0, 0, 0])
    assert gradient.weights == pytest.approx([0.01 * -2 * 1, 0.01 * 1, 0.01 * -2 * 2, 0.01 * 6.5])


@pytest.mark.parametrize("features", [None, 3])
def test_gradients_are_finite_differences(backend, features):
    g = random_dag(25, 70, 1)
    rng = np.random.default_rng(2)
    shape = (25,) if features is None else (25, features)
    inputs, weights, above = rng.standard_normal(shape), rng.standard_normal(g.edges), rng.standard_normal(shape)
    values = dag_forward(g, inputs, weights, backend=backend)
    gradient = dag_gradient(g, values, weights, above, backend=backend)

    def loss(x, w):
        return float(np.sum(dag_forward(g, x, w, backend=backend) * above))

    for place in np.ndindex(shape):
        step = np.zeros(shape)
        step[place] = 1e-6
        slope = (loss(inputs + step, weights) - loss(inputs - step, weights)) / 2e-6
        assert gradient.inputs[place] == pytest.approx(slope, abs=1e-6)
    for edge in range(g.edges):
        step = np.zeros(g.edges)
        step[edge] = 1e-6
        slope = (loss(inputs, weights + step) - loss(inputs, weights - step)) / 2e-6
        assert gradient.weights[edge] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_numba_equals_the_oracle(dtype, threads):
    if threads > cores():
        pytest.skip(f"needs {threads} cores")
    g = random_dag(12_000, 20_000, 3)
    rng = np.random.default_rng(4)
    inputs, weights = rng.standard_normal((12_000, 2)).astype(dtype), rng.standard_normal(g.edges).astype(dtype)
    results = []
    for backend in (grapheme.get_backend("numpy"), grapheme.get_backend("numba", threads=threads)):
        values = dag_forward(g, inputs, weights, backend=backend)
        gradient = dag_gradient(g, values, weights, np.ones_like(values), backend=backend)
        assert values.dtype == gradient.weights.dtype == dtype
        results.append((values, gradient.inputs, gradient.weights))
    for ours, wanted in zip(*results, strict=True):
        assert np.array_equal(ours, wanted)


def test_text_and_mathematics_have_levels():
    assert topological_levels(GraphemeGraph.from_text("abc")).tolist() == [0, 1, 2]
    assert topological_levels(MathGraph.from_expression("2*x + 1")).max() == 2


def test_the_empty_graph(backend):
    nothing = Graph.from_edges([], directed=True)
    assert topological_levels(nothing, backend).shape == (0,)
    assert topological_generations(nothing, backend) == []
    assert dag_forward(nothing, [], [], backend=backend).shape == (0,)


@pytest.mark.parametrize(
    ("inputs", "weights", "slope", "message"),
    [
        ([1.0], [1.0], 0.01, "2 nodes"),
        ([1.0, 2.0], [1.0, 1.0], 0.01, "1 edges"),
        ([1.0, np.nan], [1.0], 0.01, "values are NaN"),
        ([1.0, 1.0], [np.inf], 0.01, "weights are NaN"),
        ([1.0, 1.0], [1.0], 0.0, "slope"),
    ],
)
def test_bad_input_is_one_sentence(inputs, weights, slope, message):
    with pytest.raises(InvalidInputError, match=message):
        dag_forward(Graph.from_edges([(0, 1)], directed=True), inputs, weights, slope)


def test_an_undirected_graph_has_no_levels():
    with pytest.raises(InvalidInputError, match="directed=True"):
        topological_levels(Graph.from_edges([(0, 1)]))
