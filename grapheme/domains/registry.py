"""Finds domains by name: those that ship, and those that plugins bring."""

from __future__ import annotations

from grapheme.domains.domain import Domain
from grapheme.plugins.registry import Registry

DOMAINS = Registry("grapheme_domains", lambda: Domain, "domain", lambda domain: domain.name)


def domains() -> dict[str, Domain]:
    """Return the ways to write graphs by name.

    Returns:
        The domains of all plugins, those that ship among them.
    """
    return DOMAINS.all()


def domain(name: str) -> Domain:
    """Return a domain, or say which there are.

    Args:
        name: such as ``math``, ``code`` or ``text``.

    Returns:
        The domain of that name.

    Raises:
        InvalidInputError: if no plugin brings one.

    Example:
        >>> domain("math").parse("2 + x").node_labels
        ('+', 2, 'x')
    """
    return DOMAINS.get(name)
