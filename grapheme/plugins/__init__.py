"""Plugins: the hooks, and how what plugins bring is found."""

from grapheme.plugins.discovery import Plugin, Plugins, plugins
from grapheme.plugins.hooks import hookimpl

__all__ = ["Plugin", "Plugins", "hookimpl", "plugins"]
