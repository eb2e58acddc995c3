// Hard steps: 32 cells are the bits of a word and 32 words the lanes of a block, so a row is 1024 cells of a node.

constexpr int WORD = 32;

// One step of all cells, grids to next (batch, channel, cells), bytes that are 0 or 1; fire (batch, cells) or null.
// A ballot gathers the bits of a word from 32 neighbouring lanes. work (thread blocks, rows, 32).
extern "C" __global__ void __launch_bounds__(1024, 1)
    hard_step(const Shape* __restrict__ shape_, const Circuit* __restrict__ circuit_, const int4* __restrict__ wires,
              const int* __restrict__ levels, const int* __restrict__ outputs,
              const Four<unsigned>* __restrict__ polynomials, const bool* __restrict__ grids,
              const bool* __restrict__ fire, bool* __restrict__ next, unsigned* __restrict__ work) {
  const Shape& shape = *shape_;
  const Circuit& circuit = *circuit_;
  const int cells = shape.height * shape.width;
  const size_t all_cells = (size_t)shape.batch * cells;
  unsigned* values = work + (size_t)blockIdx.x * circuit.rows * LANES;
  for (size_t start = (size_t)blockIdx.x * LANES * WORD; start < all_cells; start += (size_t)gridDim.x * LANES * WORD) {
    const int sample = start / cells, offset = start % cells;
    for (int job = warp(); job < 9 * LANES; job += warps()) {
      const int p = job / LANES, word = job % LANES;
      const Cell cell = cell_after(shape, sample, offset + word * WORD + lane(), shape.batch);
      const int from = cell.inside ? neighbour(shape, cell, p) : -1;
      for (int c = 0; c < shape.channels; c++) {
        const bool bit = from >= 0 && grids[origin(shape, cell.sample) + (size_t)c * cells + from];
        const unsigned bits = __ballot_sync(EVERY_LANE, bit);
        if (lane() == 0) values[(p * shape.channels + c) * LANES + word] = bits;
      }
    }
    __syncthreads();
    evaluate(circuit, wires, levels, polynomials, values);
    for (int word = warp(); word < LANES; word += warps()) {
      const Cell cell = cell_after(shape, sample, offset + word * WORD + lane(), shape.batch);
      if (!cell.inside) continue;
      const bool fires = fire == nullptr || fire[first_cell(shape, cell.sample) + cell.index];
      for (int c = 0; c < shape.channels; c++) {
        const size_t at = origin(shape, cell.sample) + (size_t)c * cells + cell.index;
        next[at] = fires ? values[__ldg(&outputs[c]) * LANES + word] >> lane() & 1u : grids[at];
      }
    }
    __syncthreads();  // the next block's inputs may take the rows of these outputs
  }
}
