"""Domains: how text, mathematics, code and other graphs are read, written and checked."""

from grapheme.domains.domain import Domain
from grapheme.domains.registry import domain, domains

__all__ = ["Domain", "domain", "domains"]
