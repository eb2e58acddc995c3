"""grapheme as a backend of networkx: ``nx.find_cliques(G, backend="grapheme")``.

networkx finds ``info.py`` and ``interface.py`` by the entry points ``networkx.backend_info`` and ``networkx.backends``.
It asks for the first whenever it is imported, so nothing else may be imported here.
"""
