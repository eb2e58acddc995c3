"""Every task: sets that share no source, graphs that can be written, and targets against another way to find them."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import combinations, product

import networkx
import numpy as np
import pytest

from grapheme.datasets import PairSets, task, tasks
from grapheme.datasets.drawing import Sizes, draw_sets
from grapheme.datasets.fingerprint import fingerprints
from grapheme.datasets.life import boards
from grapheme.domains.boards import to_board
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, MathGraph
from grapheme.graph.canonical import same_graph

NAMES = tuple(name for name in tasks() if name not in ("math", "text"))
"""The parts of ``math`` and ``text`` are all tested."""


SIZES = Sizes(train=120, validation=40, test=120)
"""Fewer than a training run sees, drawn in the same way."""


@cache
def sets(name: str) -> PairSets:
    draw, _ = task(name).generate.args
    return draw_sets(draw, SIZES, 0)


@pytest.mark.parametrize("name", ["degree-rules", "math", "text"])
def test_no_source_of_a_whole_task_is_in_two_sets(name: str) -> None:
    whole = task(name).generate(0)
    numbers = [fingerprints([pair.source for pair in part]).tolist() for part in _parts(whole)]
    assert [len(part) for part in numbers] == [len(part) for part in _parts(whole)]
    assert len({number for part in numbers for number in part}) == sum(map(len, numbers))


@pytest.mark.parametrize("name", NAMES)
def test_no_source_is_in_two_sets(name: str) -> None:
    parts = [set(fingerprints([pair.source for pair in part]).tolist()) for part in _parts(sets(name))]
    assert all(parts)
    assert not any(a & b for a, b in combinations(parts, 2))


@pytest.mark.parametrize("name", NAMES)
def test_graphs_are_read_back_as_they_were_written(name: str) -> None:
    domain = task(name).domain
    for pair in sets(name).test[:15]:
        for graph in (pair.source, pair.target):
            assert same_graph(domain.parse(domain.render(graph)), graph)


@pytest.mark.parametrize("name", ["boolean", "math-4", "code", "text-case"])
def test_the_text_of_a_pair_is_that_of_its_graphs(name: str) -> None:
    parse = task(name).domain.parse
    assert all(
        same_graph(parse(text), graph)
        for pair in sets(name).test[:15]
        for text, graph in zip(pair.text or (), (pair.source, pair.target), strict=True)
    )


def test_a_seed_gives_the_same_pairs_and_another_seed_others() -> None:
    one, again, other = (task("life-graph").generate(seed) for seed in (0, 0, 1))
    assert one == again
    assert one.train[:5] != other.train[:5]


def test_same_graphs_have_one_fingerprint_and_different_ones_do_not() -> None:
    rng = np.random.default_rng(1)
    graph = networkx.gnp_random_graph(12, 0.3, seed=1)
    labels = rng.integers(3, size=12).tolist()
    order = rng.permutation(12)
    back = np.argsort(order)
    one = Graph.from_edges(list(graph.edges), 12, labels)
    same = Graph.from_edges([(back[a], back[b]) for a, b in graph.edges], 12, [labels[i] for i in order])
    other = Graph.from_edges(list(graph.edges)[1:], 12, labels)
    first, second, third = fingerprints([one, same, other]).tolist()
    assert first == second != third


def test_an_edge_has_its_direction_and_its_label_in_the_fingerprint() -> None:
    graphs = [
        Graph.from_edges([(0, 1)], 2, "ab", True, "x"),
        Graph.from_edges([(1, 0)], 2, "ab", True, "x"),
        Graph.from_edges([(0, 1)], 2, "ab", True, "y"),
        Graph.from_edges([(0, 1)], 2, "ab", False, "x"),
        Graph.from_edges([(0, 1)], 2, [1, 2], False, "x"),
        Graph.from_edges([(0, 1)], 2, [True, 2], False, "x"),
    ]
    assert len(set(fingerprints(graphs).tolist())) == len(graphs)


def test_an_unknown_task_names_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'boolean'"):
        task("bolean")


def texts(name: str) -> list[tuple[str, str]]:
    return [pair.text for pair in sets(name).test]


def test_hubs_go_round_in_the_cycle() -> None:
    following = {"bare": "single", "single": "double", "double": "closed", "closed": "bare"}
    leaves = {"bare": (0, 0), "single": (1, 0), "double": (2, 0), "closed": (2, 1)}
    for pair in sets("edit-cycles").test:
        before, after = pair.source.to_networkx(), pair.target.to_networkx()
        hubs = [hub for hub, label in before.nodes(data="label") if label != "leaf"]
        assert networkx.utils.graphs_equal(_bare(before, hubs), _bare(after, hubs))
        for hub in hubs:
            assert after.nodes[hub]["label"] == following[before.nodes[hub]["label"]]
            own = after.subgraph(n for n in after[hub] if after.nodes[n]["label"] == "leaf")
            assert (len(own), own.number_of_edges()) == leaves[after.nodes[hub]["label"]]


def _bare(graph: networkx.Graph, hubs: list[int]) -> networkx.Graph:
    return networkx.Graph(graph.subgraph(hubs).edges)


def test_degree_rules_against_networkx() -> None:
    for pair in sets("degree-rules").test:
        before, after = pair.source.to_networkx(), pair.target.to_networkx()
        gone = [node for node, degree in before.degree if degree > 3]
        expected = networkx.Graph(before)
        pairs = [ends for ends in combinations(before, 2) if set(networkx.common_neighbors(before, *ends))]
        expected.add_edges_from(pairs)
        expected.add_edges_from((node, ("new", node)) for node, degree in before.degree if degree < 2)
        expected.remove_nodes_from(gone)
        assert networkx.is_isomorphic(expected, after)


@pytest.mark.parametrize("side", [10, 32])
def test_life_against_a_count_of_neighbours(side: int) -> None:
    pairs = sets("life-graph").test if side == 10 else boards(0, 3, side)
    for pair in pairs:
        board, later = to_board(pair.source), to_board(pair.target)
        around = [(r, c) for r, c in product((-1, 0, 1), repeat=2) if (r, c) != (0, 0)]
        for row, column in product(range(side), repeat=2):
            alive = sum(bool(board[(row + r) % side, (column + c) % side]) for r, c in around)
            assert later[row, column] == (alive == 3 or (board[row, column] and alive == 2))
    assert board.shape == (side, side)


def test_a_cell_is_joined_to_the_eight_around_it() -> None:
    source = sets("life-graph").test[0].source.to_networkx()
    assert all(degree == 8 for _, degree in source.degree)
    assert set(source[0]) == {1, 9, 10, 11, 19, 90, 91, 99}


def test_simplified_formulas_mean_the_same_and_are_shorter() -> None:
    for before, after in texts("boolean"):
        values = [dict(zip("xy", bits, strict=True)) for bits in product((False, True), repeat=2)]
        assert [eval(before, {}, value) for value in values] == [eval(after, {}, value) for value in values]
        assert len(after) < len(before)


def test_steps_of_addition_keep_the_value_and_end_at_a_number() -> None:
    class Successor:
        def __call__(self, value: int) -> int:
            return value + 1

    for before, after in texts("peano"):
        assert eval(before, {"S": Successor()}) == eval(after, {"S": Successor()})
        assert before != after


VALUES = {"x": 1.7, "y": -2.3, "z": 0.6}


@pytest.mark.parametrize("level", [1, 2, 4, 6])
def test_worked_expressions_keep_their_value(level: int) -> None:
    checked = 0
    for before, after in texts(f"math-{level}"):
        if re.search(r"(sqrt|log\w*)\(y\)|y\^", before):
            continue  # no real value
        assert _value(before) == pytest.approx(_value(after), rel=1e-9, abs=1e-9)
        checked += 1
    assert checked > 80


@pytest.mark.parametrize("level", [1, 2])
def test_every_operator_with_two_numbers_is_worked_out_once(level: int) -> None:
    for before, after in texts(f"math-{level}"):
        expected = ast.unparse(Worked().visit(ast.parse(before, mode="eval")))
        assert MathGraph.from_expression(expected) == MathGraph.from_expression(after)


class Worked(ast.NodeTransformer):
    """Python's own view of a step: numbers joined by an operator become one number."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return ast.Constant(eval(ast.unparse(node)))
        return self.generic_visit(node)


def test_substituted_expressions_have_the_value_of_the_original() -> None:
    for before, after in texts("math-3"):
        expression, bindings = before.split(" where ")
        known = {name: float(value) for name, value in (part.split(" = ") for part in bindings.split(", "))}
        assert _value(expression, VALUES | known) == pytest.approx(_value(after))
        assert not set(known) & set(MathGraph.from_expression(after).variables)


def test_derivatives_against_finite_differences() -> None:
    small = 1e-5
    for before, after in texts("math-5"):
        expression = before.removeprefix("d/dx ")
        up, down = (_value(expression, {"x": 1.3 + shift}) for shift in (small, -small))
        assert _value(after, {"x": 1.3}) == pytest.approx((up - down) / (2 * small), rel=1e-6)


def test_moved_equations_have_the_same_solution() -> None:
    for before, after in texts("math-7"):
        assert _solution(before) == pytest.approx(_solution(after))
        assert len(after.split("=")[0]) < len(before.split("=")[0])


def _value(text: str, values: dict[str, float] = VALUES) -> float:
    graph = MathGraph.from_expression(text)
    return float(graph.evaluate(**{name: values[name] for name in graph.variables}))


def _solution(equation: str) -> float:
    """Return where a line through the differences of both sides at 0 and 1 is 0."""
    sides = equation.split("=")
    at_zero, at_one = (_value(sides[0], {"x": x}) - _value(sides[1], {"x": x}) for x in (0.0, 1.0))
    return at_zero / (at_zero - at_one)


def test_rewritten_programs_do_the_same() -> None:
    for before, after in texts("code"):
        for start in (1, 3):
            names = {name: start + i for i, name in enumerate(("a", "b", "n", "x", "y", "total"))}
            lists = {name: list(range(start + i)) for i, name in enumerate(("xs", "ys", "items"))}
            first, second = _run(before, {**names, **lists}), _run(after, {**names, **lists})
            made = {name for name in first if name in second}
            assert set(first) == made
            assert all(first[name] == second[name] for name in made if name not in _loop_names(after))


def _run(program: str, values: dict[str, object]) -> dict[str, object]:
    values = {name: list(value) if isinstance(value, list) else value for name, value in values.items()}
    exec(program, values)
    return {name: value for name, value in values.items() if name != "__builtins__"}


def _loop_names(program: str) -> set[str]:
    """Return the names of loops, which a comprehension would have kept to itself."""
    return set(re.findall(r"for (\w+) in", program))


@pytest.mark.parametrize(
    ("before", "gone"),
    [
        ("= None", r"[=!]= None"),
        ("not", r"not \w+ (in|is) "),
        ("if", " if "),
        ("range", r"range\(0, "),
        ("len", "len.* == 0"),
    ],
)
def test_rewritten_programs_have_nothing_left_to_rewrite(before: str, gone: str) -> None:
    programs = texts("code")
    assert any(re.search(gone, source) for source, _ in programs)
    assert not any(re.search(gone, target) for _, target in programs)


def test_names_in_snake_case_become_camel_case() -> None:
    for before, after in texts("text-case"):
        first, *rest = before.split("_")
        assert after == first + "".join(part.title() for part in rest)


def test_words_in_capitals_are_turned_round() -> None:
    assert all(after == "".join(reversed(before)) for before, after in texts("text-reversal"))


def test_spelling_is_replaced_wherever_it_is_found() -> None:
    for before, after in texts("text-spelling"):
        expected = before
        for pattern, spelling in (("ph", "f"), ("ck", "k"), ("qu", "kw"), ("our", "or"), ("ise", "ize")):
            expected = expected.replace(pattern, spelling)
        assert after == expected != before


def test_all_changes_of_text_are_one_function() -> None:
    for before, after in texts("text"):
        if before.isupper():
            assert after == before[::-1]
        elif "_" in before:
            assert after == re.sub("_(.)", lambda match: match[1].upper(), before)
        else:
            assert not re.search("ph|ck|qu|our|ise", after)


def test_all_levels_of_mathematics_are_one_function() -> None:
    together = [pair.text for part in _parts(sets("math")) for pair in part]
    assert len({before for before, _ in together}) == len(together)
    kinds = [" where ", "d/dx", "="]
    assert all(any(kind in before for before, _ in together) for kind in kinds)
    assert np.mean([kind in before for before, _ in together for kind in kinds[1:2]]) == pytest.approx(1 / 7, abs=0.07)


def _parts(found: PairSets) -> tuple[tuple, ...]:
    return found.train, found.validation, found.test
