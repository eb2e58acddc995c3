"""The JSON form of a circuit: written, read again, and checked on the way in. docs/circuit-format.md describes it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from grapheme.ca import checks
from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.simplify import dead
from grapheme.ca.simplify.logic import Logic
from grapheme.errors import InvalidInputError
from grapheme.files import readable

FORMAT = "grapheme circuit"
VERSION = 1

Start = Literal["random", "cell", "empty"]
STARTS: tuple[Start, ...] = ("random", "cell", "empty")


@dataclass(frozen=True)
class Document:
    """A circuit, the name of what it learnt, and from what grids it starts: random bits, one cell of ones, or zeros."""

    circuit: HardCircuit
    name: str = "automaton"
    start: Start = "random"

    @property
    def identifier(self) -> str:
        """The name as a word that programming languages accept."""
        return re.sub(r"\W|^(?=\d)", "_", self.name)

    @property
    def logic(self) -> Logic:
        """The gates that some output depends on."""
        return dead.remove(Logic.of(self.circuit.netlist, self.circuit.codes))


def fields(exported: Document) -> dict[str, Any]:
    """Return what the JSON holds."""
    layout, logic = exported.circuit.layout, exported.logic
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": exported.name,
        "start": exported.start,
        "boundary": exported.circuit.boundary,
        "channels": layout.full,
        "kept": list(layout.kept),
        "visible": list(layout.visible),
        "gates": [list(gate) for gate in logic.gates],
        "outputs": list(logic.outputs),
    }


def text(exported: Document) -> str:
    """Return the JSON, a field or a gate a line."""
    content = fields(exported)
    gates = ",\n    ".join(json.dumps(gate) for gate in content["gates"])
    lines = [
        f'  "{key}": ' + (f"[\n    {gates}\n  ]" if key == "gates" and gates else json.dumps(value))
        for key, value in content.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> Document:
    """Return the circuit of a JSON file, or say in a sentence what is wrong with it."""
    with readable(path):
        given = path.read_bytes()
    try:
        content = json.loads(given.decode())
    except ValueError as error:
        raise InvalidInputError(f"{path} is not a circuit: it is not JSON ({error}).") from error
    try:
        return parse(content)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path} is not a circuit that can be read: {error}") from error


def parse(content: Any) -> Document:
    """Return the circuit that parsed JSON describes."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidInputError(f'It does not say "format": "{FORMAT}".')
    if content.get("version") != VERSION:
        raise InvalidInputError(
            f"It has version {content.get('version')!r} of the format; this grapheme reads {VERSION}."
        )
    kept, visible, outputs = (_numbers(name, content.get(name)) for name in ("kept", "visible", "outputs"))
    channels = checks.positive("channels", content.get("channels", 0))
    layout = Layout(channels, tuple(kept), tuple(visible))
    if len(outputs) != len(kept):
        raise InvalidInputError(f"It needs an output for each of its {len(kept)} channels; it has {len(outputs)}.")
    logic = Logic(9 * len(kept), _gates(content.get("gates"), 9 * len(kept)), outputs)
    boundary = checks.boundary(content.get("boundary", ""))
    circuit = HardCircuit(*_in_range(logic).netlist(), boundary, layout)
    return Document(circuit, _name(content.get("name")), _start(content.get("start")))


def _numbers(what: str, values: Any) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value < 2**31 for value in values):
        raise InvalidInputError(f'Its "{what}" must be a list of whole numbers from 0 up.')
    return values


def _gates(values: Any, inputs: int) -> list[tuple[int, int, int]]:
    """Return gates whose wires all come from before."""
    if not isinstance(values, list):
        raise InvalidInputError('Its "gates" must be a list of [operation, a, b].')
    nodes = inputs + len(values)
    for index, gate in enumerate(values):
        if len(_numbers(f"gates[{index}]", gate)) != 3 or gate[0] > 15:
            raise InvalidInputError(f"Gate {index} must be [operation 0 to 15, a, b]; it is {gate}.")
        for node in gate[1:]:
            if node >= nodes:
                raise InvalidInputError(f"Gate {index} reads node {node}, but there are only nodes 0 to {nodes - 1}.")
            if node >= inputs + index:
                raise InvalidInputError(
                    f"Gate {index} reads node {node}, which is not written before it: "
                    "gates must come in an order without a cycle."
                )
    return [(gate[0], gate[1], gate[2]) for gate in values]


def _in_range(logic: Logic) -> Logic:
    nodes = logic.inputs + len(logic.gates)
    if max(logic.outputs) >= nodes:
        raise InvalidInputError(f"An output is node {max(logic.outputs)}, but there are only nodes 0 to {nodes - 1}.")
    return logic


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > 100:
        raise InvalidInputError('Its "name" must be a text of 1 to 100 characters.')
    return value


def _start(value: Any) -> Start:
    for known in STARTS:
        if value == known:
            return known
    raise InvalidInputError(f'Its "start" must be one of {", ".join(STARTS)}; it is {value!r}.')


def start_of(grids: np.ndarray) -> Start:
    """Return which kind of start grids (batch, channel, height, width) of an experiment are."""
    if not grids.any():
        return "empty"
    return "random" if (grids != grids[:1]).any() or grids[0].any(axis=0).sum() > 1 else "cell"
