import ast
import sysconfig
from pathlib import Path

import pytest

from grapheme.errors import InvalidInputError
from grapheme.graph import CodeGraph, Graph

STANDARD = Path(sysconfig.get_paths()["stdlib"])
MODULES = [
    "ast.py",
    "dataclasses.py",
    "heapq.py",
    "functools.py",
    "textwrap.py",
    "graphlib.py",
    "contextlib.py",
    "statistics.py",
]


@pytest.mark.parametrize("name", MODULES)
def test_modules_of_python_and_back(name):
    source = (STANDARD / name).read_text(encoding="utf-8")
    g = CodeGraph.from_source(source)
    assert ast.dump(ast.parse(g.to_source())) == ast.dump(ast.parse(source))
    assert CodeGraph.from_source(g.to_source()) == g
    assert CodeGraph.from_graph(Graph.from_graph(g)) == g


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = None",
        "lambda *, a, b=1: {**x, 'a': None}",
        "match x:\n    case None:\n        pass\n    case {'a': 1, **rest}:\n        f'{x!r:>{w}}'",
        "x = 1e999\ny = ...\nz = b'\\xff'\nw = 1j\nu = 'é\\ud800'",
        "async def f(a, /, b: int = 3, *c, d, **e) -> None:\n    async with a as b, c:\n        return await d",
        "x: int\nx[1:2, ::3] = *a, b\nglobal y\ndel x",
        "try:\n    pass\nexcept* ValueError as e:\n    raise e from None\nelse:\n    pass\nfinally:\n    pass",
        "[x async for x in y if x if y]\nwhile True:\n    break\nelse:\n    continue",
    ],
)
def test_every_corner_of_the_syntax(source):
    assert ast.dump(ast.parse(CodeGraph.from_source(source).to_source())) == ast.dump(ast.parse(source))


def test_the_graph_of_an_assignment():
    g = CodeGraph.from_source("x = 1")
    assert sorted(g.node_labels) == ["'x'", "1", "Assign", "Constant", "Module", "Name"]
    assert sorted(g.edge_labels) == ["body[0]", "id", "targets[0]", "value", "value"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ny = (\n", "line 2"),
        ("def f(:\n", "line 1"),
        ("\0", "null bytes"),
        ("-" * 100_000 + "1", "too deeply"),
    ],
)
def test_a_syntax_error_names_its_line(source, message):
    with pytest.raises(InvalidInputError, match=message) as error:
        CodeGraph.from_source(source)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([(0, 1)], labels=["1", "Nothing"], directed=True, edge_labels=["value"]),
        Graph.from_edges([(0, 1)], labels=["1", "Module"], directed=True, edge_labels=["nobody[0]"]),
        Graph.from_edges([(0, 1)], labels=["Constant", "Module"], directed=True, edge_labels=["body"]),
        Graph.from_edges([(0, 1), (1, 0)], labels=["Pass", "Module"], directed=True),
        Graph.from_edges([(0, 1)], labels=["Pass", "Module"]),
    ],
)
def test_a_graph_that_is_no_program(graph):
    with pytest.raises(InvalidInputError, match="Python"):
        CodeGraph.from_graph(graph)
