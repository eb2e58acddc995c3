"""One step of rewriting a tree: every place where a rule applies, at once, in a way that depends on what is near."""

from __future__ import annotations

from collections.abc import Callable

from grapheme.graph.tree import Tree, leaves_first, operands

Rule = Callable[[Tree], Tree | None]
"""Returns what takes a tree's place, made of new nodes and of branches of the tree, or None where it does not apply."""


def step(root: Tree, rule: Rule) -> Tree:
    """Return the tree after ``rule`` has acted wherever it applies, but not just below a place where it applies too."""
    results = {id(tree): rule(tree) for tree in leaves_first(root)}
    below = {id(branch) for tree in leaves_first(root) if results[id(tree)] for _, branch in tree.branches}
    acting = {key: result for key, result in results.items() if result is not None and key not in below}

    def rewritten(tree: Tree) -> Tree:
        result = acting.get(id(tree), tree)
        return Tree(result.label, [(edge, rewritten(branch)) for edge, branch in result.branches])

    return rewritten(root)


def same(a: Tree, b: Tree) -> bool:
    """Say whether two trees look alike."""
    return (
        a.label == b.label
        and len(a.branches) == len(b.branches)
        and all(same(x, y) for x, y in zip(operands(a), operands(b), strict=True))
    )
