"""Circuits as Verilog: one cell, and a whole grid of cells that step with a clock."""

from __future__ import annotations

from grapheme.ca.export.document import Document
from grapheme.ca.export.expressions import expression

CELL = """\
// {name}: one cell. near[p * {channels} + c] is channel c of neighbour p, 0 to 8 row by row, 4 the cell itself.
module {identifier}_cell (
  input  wire [{last_input}:0] near,
  output wire [{last}:0] next
);
{gates}
endmodule
"""

GRID = """
// A grid of cells, {edge}. Bit (y * WIDTH + x) * {channels} + c of the state is channel c of the cell in
// row y and column x. At a clock's edge the state becomes start if load is high; else cells step whose fire is high.
module {identifier}_grid #(
  parameter HEIGHT = 16,
  parameter WIDTH = 16
) (
  input  wire clock,
  input  wire load,
  input  wire [HEIGHT * WIDTH * {channels} - 1:0] start,
  input  wire [HEIGHT * WIDTH - 1:0] fire,
  output reg  [HEIGHT * WIDTH * {channels} - 1:0] state
);
  genvar y, x, p;
  generate
    for (y = 0; y < HEIGHT; y = y + 1) begin : row
      for (x = 0; x < WIDTH; x = x + 1) begin : column
        localparam CELL = y * WIDTH + x;
        wire [{last_input}:0] near;
        wire [{last}:0] next;
        for (p = 0; p < 9; p = p + 1) begin : look
          localparam V = y + p / 3 - 1;
          localparam U = x + p % 3 - 1;
          localparam AT = (V + HEIGHT) % HEIGHT * WIDTH + (U + WIDTH) % WIDTH;
          if ({periodic} || (V >= 0 && V < HEIGHT && U >= 0 && U < WIDTH))
            assign near[p * {channels} +: {channels}] = state[AT * {channels} +: {channels}];
          else
            assign near[p * {channels} +: {channels}] = {channels}'b0;
        end
        {identifier}_cell rule (.near(near), .next(next));
        always @(posedge clock)
          if (load) state[CELL * {channels} +: {channels}] <= start[CELL * {channels} +: {channels}];
          else if (fire[CELL]) state[CELL * {channels} +: {channels}] <= next;
      end
    end
  endgenerate
endmodule
"""

ZERO = "1'b0"


def text(exported: Document) -> str:
    """Return the modules NAME_cell and NAME_grid."""
    channels, periodic = exported.circuit.channels, exported.circuit.boundary == "periodic"
    return (CELL + GRID).format(
        name=exported.name,
        identifier=exported.identifier,
        channels=channels,
        last=channels - 1,
        last_input=9 * channels - 1,
        gates=_gates(exported),
        periodic=int(periodic),
        edge="a torus" if periodic else "with zeros outside",
    )


def _gates(exported: Document) -> str:
    logic = exported.logic

    def node(index: int) -> str:
        return f"near[{index}]" if index < logic.inputs else f"g{index - logic.inputs}"

    gates = [
        f"  wire g{index} = {expression(code, node(a), node(b), ZERO)};"
        for index, (code, a, b) in enumerate(logic.gates)
    ]
    return "\n".join(gates + [f"  assign next[{c}] = {node(output)};" for c, output in enumerate(logic.outputs)])
