"""Options that experiments and backends bring: declared once, given on the command line, in Python or by a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from grapheme.errors import InvalidInputError, nearest

Options = Mapping[str, Any]
"""Values by the names of options, as ``completed`` returns them: every option has one, perhaps None."""


@final
@dataclass(frozen=True, kw_only=True)
class Option:
    """A value that a user may give, as ``--batch-size 4`` on the command line and ``batch_size`` everywhere else."""

    name: str
    """In Python and in ``run.json``."""
    help: str
    kind: type[str] | type[int] | type[float] | type[bool] | type[Path] = str
    default: Any = None
    choices: tuple[str, ...] = ()
    """What a text may be; anything if empty."""
    least: float | None = None
    most: float | None = None
    positional: bool = False
    """Whether it is given by its place, without a flag; then it is required."""
    variable: str | None = None
    """The environment variable that is asked before the default is taken."""

    @property
    def flag(self) -> str:
        """How it is spelt on the command line."""
        return self.name.upper() if self.positional else f"--{self.name.replace('_', '-')}"

    def checked(self, value: Any) -> Any:
        """Return a value as this option's kind, or refuse it with a sentence.

        Args:
            value: what was given: text from outside, or a value of the kind itself.

        Returns:
            The value converted to ``kind``; None stays None.

        Raises:
            InvalidInputError: if it is of another kind, none of the choices, or out of bounds.

        Example:
            >>> Option(name="size", help="cells", kind=int, least=8).checked("16")
            16
        """
        if value is None:
            return None
        converted = self._converted(value)
        if self.choices and converted not in self.choices:
            known = ", ".join(self.choices)
            raise InvalidInputError(f"{self.flag} is one of {known}; got '{value}'.{nearest(str(value), self.choices)}")
        if (self.least is not None and converted < self.least) or (self.most is not None and converted > self.most):
            raise InvalidInputError(f"{self.flag} is {self._bounds()}; got {value}.")
        return converted

    def _converted(self, value: Any) -> Any:
        exact = isinstance(value, bool) == (self.kind is bool)  # True is an int to Python, but no number to a reader
        try:
            if exact and not (self.kind is int and isinstance(value, float) and value != int(value)):
                return self.kind(value)
        except (TypeError, ValueError, OverflowError):
            pass
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "text", Path: "a path"}
        raise InvalidInputError(f"{self.flag} is {words[self.kind]}; got '{value}'.")

    def _bounds(self) -> str:
        if self.most is None:
            return f"at least {self.least:g}"
        return f"at most {self.most:g}" if self.least is None else f"from {self.least:g} to {self.most:g}"


def completed(options: Sequence[Option], given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Return a value for each option: what was given, checked, else the default.

    Args:
        options: what ``owner`` understands.
        given: values by name; None counts as not given.
        owner: whose options these are, for the sentence that refuses others.

    Returns:
        Every option's value by its name.

    Raises:
        InvalidInputError: if a name is unknown, a value is refused, or a positional option is missing.

    Example:
        >>> completed([Option(name="size", help="cells", kind=int, default=16)], {}, "the experiment 'grow'")
        {'size': 16}
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise InvalidInputError(f"There is no option '{name}' of {owner}; it has {listed}.{nearest(name, known)}")
    values = {}
    for name, option in known.items():
        value = option.checked(given.get(name))
        if value is None and option.positional:
            raise InvalidInputError(f"Give {option.flag} to {owner}: {option.help}")
        values[name] = option.default if value is None else value
    return values
