"""What networkx shows of this backend in its own documentation."""

from __future__ import annotations

from typing import Any

FUNCTIONS = {
    "enumerate_all_cliques": "Cliques come in the order of networkx, a block of them at a time.",
    "find_cliques": "All are found before the first is returned; they come in the order of the graph's nodes.",
    "graph_edit_distance": "Exact, by branch and bound. Multigraphs, self-loops and roots are left to networkx.",
    "optimize_graph_edit_distance": "At most two values: a fast upper bound, and the distance if it is lower.",
    "topological_generations": "The nodes of a generation come in the order of the graph's nodes.",
}


def info() -> dict[str, Any]:
    """Return the record that the entry point ``networkx.backend_info`` stands for."""
    return {
        "backend_name": "grapheme",
        "project": "grapheme-nn",
        "package": "grapheme",
        "short_summary": "Cliques, edit distances and generations by compiled kernels on all cores.",
        "functions": {name: {"additional_docs": docs} for name, docs in FUNCTIONS.items()},
    }
