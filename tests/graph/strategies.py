from hypothesis import strategies as st

from grapheme.graph import Graph

LABEL = st.one_of(st.text(max_size=3), st.integers(-5, 5), st.none(), st.tuples(st.integers(0, 3), st.text(max_size=2)))


@st.composite
def graphs(draw, directed=None):
    n = draw(st.integers(0, 7))
    pairs = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))) if n else set()
    way = draw(st.booleans()) if directed is None else directed
    pairs = sorted(pairs if way else {(min(p), max(p)) for p in pairs})
    labels = draw(st.none() | st.lists(LABEL, min_size=n, max_size=n))
    edge_labels = draw(st.none() | st.lists(LABEL, min_size=len(pairs), max_size=len(pairs)))
    return Graph.from_edges(pairs, n, labels, way, edge_labels)
