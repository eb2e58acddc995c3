"""``python -m grapheme`` is the command line."""

from grapheme.cli import main

main()
