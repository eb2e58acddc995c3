import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, MathGraph

NUMBER = st.one_of(st.integers(0, 10**6), st.floats(0, 1e6, allow_nan=False)).map(repr)
NAME = st.sampled_from(["x", "y", "größe", "x_1", "λ", "neg", "sin"])
EXPRESSION = st.recursive(
    NUMBER | NAME,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "^", "**", " + "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        st.tuples(st.sampled_from(["sin", "exp", "sqrt"]), inner).map(lambda call: f"{call[0]}({call[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"max({pair[0]}, {pair[1]})"),
    ),
    max_leaves=12,
)


@given(EXPRESSION)
def test_expression_and_back(text):
    g = MathGraph.from_expression(text)
    assert MathGraph.from_expression(g.to_expression()) == g
    assert MathGraph.from_graph(Graph.from_graph(g)) == g


@given(EXPRESSION, EXPRESSION, EXPRESSION)
def test_the_order_of_terms_and_factors_does_not_matter(a, b, c):
    for sign in "+*":
        one, other = f"({a}){sign}({b}){sign}({c})", f"({c}){sign}(({a}){sign}({b}))"
        assert MathGraph.from_expression(one) == MathGraph.from_expression(other)


SMALL = st.recursive(
    st.integers(0, 9).map(str) | st.sampled_from(["x", "y"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("({})**2".format),
    ),
    max_leaves=8,
)


@given(SMALL, st.integers(-9, 9), st.integers(-9, 9))
def test_values_are_those_of_python(text, x, y):
    g = MathGraph.from_expression(text)
    given_values = {name: value for name, value in (("x", x), ("y", y)) if name in g.variables}
    wanted = eval(text, {}, {"x": x, "y": y})
    assert g.evaluate(**given_values) == wanted
    assert MathGraph.from_expression(g.to_expression()).evaluate(**given_values) == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2^-1", 0.5),
        ("(1 + 2) * 3 / 2", 4.5),
        ("8 - 4 - 2", 2),
        ("8 / 4 / 2", 1),
        ("sin(pi / 2) + cos(0)", 2),
        ("log(e) + sqrt(16) + abs(-3)", 8),
        ("max(1, 5, 3) - min(2, 1)", 4),
        ("1.5e3", 1500),
        ("2 ** 200", 2**200),
    ],
)
def test_values_worked_out_by_hand(text, value):
    assert MathGraph.from_expression(text).evaluate() == pytest.approx(value, rel=1e-15)


def test_the_graph_of_a_difference():
    g = MathGraph.from_expression("x - 2*y")
    assert g.node_labels == ("x", 2, "y", "*", "-")
    assert g.edge_list.tolist() == [[0, 4], [1, 3], [2, 3], [3, 4]]
    assert g.edge_labels == (0, 0, 0, 1)
    assert g.variables == ("x", "y")


def test_arrays():
    x = np.linspace(0, 1, 5)
    assert np.allclose(MathGraph.from_expression("sin(x)^2 + cos(x)^2").evaluate(x=x), 1)
    assert np.array_equal(MathGraph.from_expression("max(x, 0.5)").evaluate(x=x), np.maximum(x, 0.5))


def test_a_long_sum_is_not_too_deep():
    g = MathGraph.from_expression("-".join(["x"] * 3000))
    assert g.evaluate(x=1) == -2998
    assert math.isclose(MathGraph.from_expression(g.to_expression()).evaluate(x=1), -2998)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "character 1: the expression ends too soon"),
        ("1 +", "character 4: the expression ends too soon"),
        ("(1", r"'\)' is missing"),
        ("1)", r"character 2: '\)' does not belong here"),
        ("2 x", "character 3: 'x' does not belong here"),
        ("1 $ 2", r"character 3: '\$' means nothing"),
        ("foo(2)", "no function 'foo'"),
        ("sin(1, 2)", "sin does not take 2"),
        ("* 2", r"character 1: a number, a name or a bracket should come before '\*'"),
        ("(" * 1000, "more than 150"),
        ("1e999", "too large"),
    ],
)
def test_what_cannot_be_read_says_where(text, message):
    with pytest.raises(InvalidInputError, match=message):
        MathGraph.from_expression(text)


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("1/x", {"x": 0}, "division by zero"),
        ("sqrt(x)", {"x": -1}, "sqrt"),
        ("9^9^9^9", {}, "no value"),
        ("x + y", {"x": 1}, "value for 'y'"),
        ("alpha", {"alpha": 1, "alpa": 2}, "Did you mean 'alpha'"),
    ],
)
def test_what_has_no_value_says_why(text, values, message):
    with pytest.raises(InvalidInputError, match=message):
        MathGraph.from_expression(text).evaluate(**values)


def test_a_graph_that_is_no_expression():
    with pytest.raises(InvalidInputError, match="tree"):
        MathGraph.from_graph(Graph.from_edges([(0, 1), (1, 2), (2, 0)], labels="abc", directed=True))
    with pytest.raises(InvalidInputError, match="no part of an expression"):
        MathGraph.from_graph(Graph.from_edges([(0, 1)], labels=["x", "+"], directed=True, edge_labels=[0]))
