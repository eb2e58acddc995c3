"""Circuits as one HTML page that runs them: no network, no other file."""

from __future__ import annotations

import html
import json
from importlib.resources import files

from grapheme.ca.export.document import Document, fields


def text(exported: Document) -> str:
    """Return the page with styles, program and circuit inside."""
    folder = files("grapheme.ca.export") / "page"
    parts = {name: (folder / f"page.{name}").read_text(encoding="utf-8") for name in ("html", "css", "js")}
    # "</" would end the script it stands in
    circuit = json.dumps(fields(exported)).replace("</", "<\\/")
    page = parts["html"].replace("{{name}}", html.escape(exported.name)).replace("{{style}}", parts["css"])
    return page.replace("{{program}}", parts["js"]).replace("{{circuit}}", circuit)
