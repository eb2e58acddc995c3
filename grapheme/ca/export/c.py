"""Circuits as C: 64 cells a word, any height and width, no library but the standard one."""

from __future__ import annotations

from grapheme.ca.export.document import Document
from grapheme.ca.export.expressions import expression

SOURCE = """\
/* {name}: a cellular automaton, 64 cells a word, {edge}.
 *
 * A grid is uint64_t grid[height][{channels}][words] with words = {identifier}_words(width); cell x of a row is
 * bit x % 64 of word x / 64. Bits from width on must be 0, and stay 0.
 *
 * As a program:  cc -O3 -DAUTOMATON_MAIN {identifier}.c -o {identifier} && ./{identifier} HEIGHT WIDTH STEPS < cells
 * reads and prints the cells as 0 and 1, row by row, one channel after another.
 */
#include <stddef.h>
#include <stdint.h>

enum {{ CHANNELS = {channels}, PERIODIC = {periodic} }};

size_t {identifier}_words(size_t width);
void {identifier}_step(uint64_t *next, const uint64_t *now, const uint64_t *fire, size_t height, size_t width);

size_t {identifier}_words(size_t width) {{ return (width + 63) / 64; }}

/* The word w of a row, or of the row a cell to the left or right; a row outside the grid is NULL. */
static inline uint64_t here(const uint64_t *line, size_t w) {{ return line ? line[w] : 0; }}

static inline uint64_t west(const uint64_t *line, size_t w, size_t width) {{
  if (!line) return 0;
  if (w) return line[w] << 1 | line[w - 1] >> 63;
  return line[w] << 1 | (PERIODIC ? line[(width - 1) / 64] >> (width - 1) % 64 & 1 : 0);
}}

static inline uint64_t east(const uint64_t *line, size_t w, size_t width) {{
  if (!line) return 0;
  if (64 * (w + 1) < width) return line[w] >> 1 | line[w + 1] << 63;
  return line[w] >> 1 | (PERIODIC ? (line[0] & 1) << (width - 1) % 64 : 0);
}}

static inline const uint64_t *channel(const uint64_t *row, size_t c, size_t words) {{
  return row ? row + c * words : NULL;
}}

/* One step. fire is uint64_t[height][words], the cells that update, or NULL for all of them. */
void {identifier}_step(uint64_t *next, const uint64_t *now, const uint64_t *fire, size_t height, size_t width) {{
  const size_t words = {identifier}_words(width), pitch = CHANNELS * words;
  const uint64_t last = width % 64 ? ((uint64_t)1 << width % 64) - 1 : ~(uint64_t)0;
  for (size_t y = 0; y < height; y++) {{
    const uint64_t *row = now + y * pitch;
    const uint64_t *above = y ? row - pitch : PERIODIC ? now + (height - 1) * pitch : NULL;
    const uint64_t *below = y + 1 < height ? row + pitch : PERIODIC ? now : NULL;
    (void)above;
    (void)below;
    for (size_t w = 0; w < words; w++) {{
      const uint64_t grid = w + 1 < words ? ~(uint64_t)0 : last;
      const uint64_t fires = fire ? grid & fire[y * words + w] : grid;
{gates}
    }}
  }}
}}

#ifdef AUTOMATON_MAIN
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {{
  if (count != 4) return fprintf(stderr, "usage: %s HEIGHT WIDTH STEPS < cells\\n", arguments[0]), 2;
  const size_t height = strtoul(arguments[1], NULL, 10), width = strtoul(arguments[2], NULL, 10);
  const size_t words = {identifier}_words(width);
  uint64_t *now = calloc(height * CHANNELS * words + 1, 8), *next = calloc(height * CHANNELS * words + 1, 8);
  if (!now || !next || !height || !width) return fprintf(stderr, "no grid of that size\\n"), 2;
  for (size_t i = 0; i < CHANNELS * height * width;) {{
    const int cell = getchar();
    if (cell == EOF) return fprintf(stderr, "too few cells\\n"), 2;
    if (cell != '0' && cell != '1') continue;
    const size_t x = i % width, y = i / width % height, c = i / width / height;
    now[(y * CHANNELS + c) * words + x / 64] |= (uint64_t)(cell == '1') << x % 64;
    i++;
  }}
  for (unsigned long steps = strtoul(arguments[3], NULL, 10); steps; steps--) {{
    {identifier}_step(next, now, NULL, height, width);
    uint64_t *swap = now;
    now = next;
    next = swap;
  }}
  for (size_t c = 0; c < CHANNELS; c++)
    for (size_t y = 0; y < height; y++)
      for (size_t x = 0; x <= width; x++)
        putchar(x == width ? '\\n' : now[(y * CHANNELS + c) * words + x / 64] >> x % 64 & 1 ? '1' : '0');
  free(now);
  free(next);
  return 0;
}}
#endif
"""

ROWS = ("above", "row", "below")


def text(exported: Document) -> str:
    """Return the source of NAME_step and, behind a macro, of a program."""
    periodic = exported.circuit.boundary == "periodic"
    return SOURCE.format(
        name=exported.name.replace("*/", ""),
        identifier=exported.identifier,
        channels=exported.circuit.channels,
        periodic=int(periodic),
        edge="on a torus" if periodic else "with zeros outside the grid",
        gates="\n".join(f"      {line}" for line in _lines(exported)),
    )


def _lines(exported: Document) -> list[str]:
    """Return the statements for one word: the neighbours that matter, the gates, and what is stored."""
    logic, channels = exported.logic, exported.circuit.channels
    lines = [f"const uint64_t n{node} = {_neighbour(*divmod(node, channels))};" for node in logic.support()]
    for node, (code, a, b) in enumerate(logic.gates, start=logic.inputs):
        lines.append(f"const uint64_t n{node} = {expression(code, f'n{a}', f'n{b}', zero='(uint64_t)0')};")
    for channel, output in enumerate(logic.outputs):
        at = f"y * pitch + {channel} * words + w"
        lines.append(f"next[{at}] = (n{output} & fires) | (now[{at}] & grid & ~fires);")
    return lines


def _neighbour(position: int, channel: int) -> str:
    line = f"channel({ROWS[position // 3]}, {channel}, words)"
    side = position % 3 - 1
    return f"here({line}, w)" if side == 0 else f"{'west' if side < 0 else 'east'}({line}, w, width)"
