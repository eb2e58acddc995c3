// Soft steps forwards and backwards, REAL being float or double.
//
// A thread block is 32 lanes (cells) x some warps; it takes the blocks of a run one after another, run after run, and
// owns row `blockIdx.x` of each workspace. Nothing depends on how many thread blocks or warps there are.

struct Run {
  int part, first_block, end_block;
};

__device__ inline Run run_at(const Shape& shape, int run) {
  Run r;
  r.part = run / shape.runs_per_part;
  r.first_block = run % shape.runs_per_part * shape.blocks_per_run;
  r.end_block = min(r.first_block + shape.blocks_per_run, shape.blocks_per_part);
  return r;
}

// The cell of this lane in a block of a part; a part ends with its samples, though its last block may have lanes left.
__device__ inline Cell cell_of_lane(const Shape& shape, int part, int block) {
  const int first = part * shape.samples_per_part;
  return cell_after(shape, first, block * LANES + lane(), min(first + shape.samples_per_part, shape.batch));
}

// Fill the input rows with the neighbourhood of each lane's cell; 0 outside the grid and past the last cell.
__device__ inline void load(const Shape& shape, const Cell& cell, const REAL* __restrict__ grids, REAL* values) {
  const int cells = shape.height * shape.width;
  for (int i = warp(); i < 9 * shape.channels; i += warps()) {
    const int from = cell.inside ? neighbour(shape, cell, i / shape.channels) : -1;
    const size_t channel = origin(shape, cell.sample) + (size_t)(i % shape.channels) * cells;
    values[i * LANES + lane()] = from >= 0 ? grids[channel + from] : REAL(0);
  }
}

// One step of all cells, grids to next (batch, channel, cells); fire (batch, cells) or null if every cell fires.
// work (thread blocks, rows, 32).
extern "C" __global__ void __launch_bounds__(1024, 1)
    soft_step(const Shape* __restrict__ shape_, const Circuit* __restrict__ circuit_, const int4* __restrict__ wires,
              const int* __restrict__ levels, const int* __restrict__ outputs,
              const Four<REAL>* __restrict__ coefficients, const REAL* __restrict__ grids,
              const bool* __restrict__ fire, REAL* __restrict__ next, REAL* __restrict__ work) {
  const Shape& shape = *shape_;
  const Circuit& circuit = *circuit_;
  const int cells = shape.height * shape.width;
  REAL* values = work + (size_t)blockIdx.x * circuit.rows * LANES;
  for (int r = blockIdx.x; r < shape.runs; r += gridDim.x) {
    const Run run = run_at(shape, r);
    for (int block = run.first_block; block < run.end_block; block++) {
      const Cell cell = cell_of_lane(shape, run.part, block);
      load(shape, cell, grids, values);
      __syncthreads();
      evaluate(circuit, wires, levels, coefficients, values);
      if (cell.inside) {
        const bool fires = fire == nullptr || fire[first_cell(shape, cell.sample) + cell.index];
        for (int c = warp(); c < shape.channels; c += warps()) {
          const size_t at = origin(shape, cell.sample) + (size_t)c * cells + cell.index;
          next[at] = fires ? values[__ldg(&outputs[c]) * LANES + lane()] : grids[at];
        }
      }
      __syncthreads();  // the next block's inputs may take the rows of these outputs
    }
  }
}

// The smallest gradient that is not taken for 0: smaller ones turn subnormal, which machines flush or not as they like.
constexpr REAL NEGLIGIBLE = REAL(sizeof(REAL) == 4 ? 0x1p-80 : 0x1p-900);

__device__ inline REAL flushed(REAL gradient) { return fabs(gradient) < NEGLIGIBLE ? REAL(0) : gradient; }

// Sum four values over the lanes by a fixed tree; lane 8k returns sum k. Halves of the warp first swap what the other
// half goes on with, so six exchanges do for what four separate trees take twenty.
__device__ inline REAL sum_of_four(REAL s0, REAL s1, REAL s2, REAL s3) {
  const bool upper = lane() & 16, odd = lane() & 8;
  const REAL first = (upper ? s2 : s0) + __shfl_xor_sync(EVERY_LANE, upper ? s0 : s2, 16);
  const REAL second = (upper ? s3 : s1) + __shfl_xor_sync(EVERY_LANE, upper ? s1 : s3, 16);
  REAL sum = (odd ? second : first) + __shfl_xor_sync(EVERY_LANE, odd ? first : second, 8);
  for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_xor_sync(EVERY_LANE, sum, distance);
  return sum;
}

// The gradient that reaches a node in each lane: the sum over its readers, in their order. A reader is a gate (row of
// its gradient, row of its other operand, which coefficients make the slope) or output number -1 - x.
__device__ inline REAL pull(int4 node, const int4* __restrict__ readers, const REAL* __restrict__ coefficients,
                            const REAL* values, const REAL* grads, const REAL* __restrict__ arriving, int cells) {
  REAL total = 0;
  for (int r = node.x; r < node.y; r++) {
    const int4 reader = __ldg(&readers[r]);
    if (reader.x < 0) {
      if (arriving != nullptr) total += arriving[(size_t)(-1 - reader.x) * cells];
    } else {
      const REAL other = values[reader.y * LANES + lane()];
      const REAL slope = fma(__ldg(&coefficients[reader.w]), other, __ldg(&coefficients[reader.z]));
      total = fma(grads[reader.x * LANES + lane()], slope, total);
    }
  }
  return flushed(total);
}

// Recompute the gates of every block and pull grad (batch, channel, cells) back through one step.
// nodes (inputs, then gates): first reader, past the last one, row of the gradient; readers as `pull` takes them.
// Fills input_grads (input, batch, cells) and adds to sums (run, gate, 4).
extern "C" __global__ void __launch_bounds__(1024, 1)
    soft_step_grad(const Shape* __restrict__ shape_, const Circuit* __restrict__ circuit_,
                   const int4* __restrict__ wires, const int* __restrict__ levels, const int4* __restrict__ nodes,
                   const int4* __restrict__ readers, const Four<REAL>* __restrict__ coefficients,
                   const REAL* __restrict__ grids, const bool* __restrict__ fire, const REAL* __restrict__ grad,
                   REAL* __restrict__ value_work, REAL* __restrict__ grad_work, REAL* __restrict__ input_grads,
                   REAL* __restrict__ sums) {
  const Shape& shape = *shape_;
  const Circuit& circuit = *circuit_;
  const int cells = shape.height * shape.width;
  const size_t all_cells = (size_t)shape.batch * cells;
  const REAL* slopes = &coefficients->k0;  // the same numbers, one by one
  REAL* values = value_work + (size_t)blockIdx.x * circuit.value_rows * LANES;
  REAL* grads = grad_work + (size_t)blockIdx.x * circuit.grad_rows * LANES;
  for (int r = blockIdx.x; r < shape.runs; r += gridDim.x) {
    const Run run = run_at(shape, r);
    for (int block = run.first_block; block < run.end_block; block++) {
      const Cell cell = cell_of_lane(shape, run.part, block);
      load(shape, cell, grids, values);
      __syncthreads();
      evaluate(circuit, wires, levels, coefficients, values);

      const size_t own = first_cell(shape, cell.sample) + cell.index;
      const bool counts = cell.inside && (fire == nullptr || fire[own]);
      const REAL* arriving = counts ? grad + origin(shape, cell.sample) + cell.index : nullptr;
      for (int level = circuit.levels - 1; level >= 0; level--) {
        const int end = __ldg(&levels[level + 1]);
        for (int g = __ldg(&levels[level]) + warp(); g < end; g += warps()) {
          const int4 node = __ldg(&nodes[circuit.inputs + g]);
          const REAL above = pull(node, readers, slopes, values, grads, arriving, cells);
          grads[node.z * LANES + lane()] = above;
          if (__any_sync(EVERY_LANE, above != 0)) {  // late in training most gates pass no gradient on
            const int4 wire = __ldg(&wires[g]);
            const REAL a = values[wire.x * LANES + lane()], b = values[wire.y * LANES + lane()];
            const REAL sum = sum_of_four(above, above * a, above * b, above * a * b);
            if (lane() % 8 == 0) sums[((size_t)r * circuit.gates + g) * 4 + lane() / 8] += sum;
          }
        }
        __syncthreads();
      }
      for (int i = warp(); i < circuit.inputs; i += warps()) {
        const REAL below = pull(__ldg(&nodes[i]), readers, slopes, values, grads, arriving, cells);
        if (cell.inside) input_grads[i * all_cells + own] = below;
      }
      __syncthreads();  // the next block takes the same rows
    }
  }
}

// Add the gradients of the inputs up where their values came from, into below (batch, channel, cells). Cell q is
// neighbour p of the cell that is neighbour 8-p of q. What did not fire passes grad on; direct, or null, is the loss's
// own gradient of these grids.
extern "C" __global__ void __launch_bounds__(256, 1)
    soft_collect(const Shape* __restrict__ shape_, const REAL* __restrict__ input_grads, const REAL* __restrict__ grad,
                 const bool* __restrict__ fire, const REAL* __restrict__ direct, REAL* __restrict__ below) {
  const Shape& shape = *shape_;
  const int cells = shape.height * shape.width;
  const size_t all_cells = (size_t)shape.batch * cells, size = all_cells * shape.channels;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += (size_t)gridDim.x * blockDim.x) {
    const int row = i / cells, channel = row % shape.channels;
    const Cell cell = cell_after(shape, row / shape.channels, i % cells, shape.batch);
    const size_t first = first_cell(shape, cell.sample);
    REAL total = direct == nullptr ? REAL(0) : direct[i];
    if (fire != nullptr && !fire[first + cell.index]) total += grad[i];
    for (int p = 0; p < 9; p++) {
      const int reader = neighbour(shape, cell, 8 - p);
      if (reader >= 0) total += input_grads[(p * shape.channels + channel) * all_cells + first + reader];
    }
    below[i] = total;
  }
}

// Add the sums (run, gate, 4) of the gates that share a parameter, and of the runs of a part, in their order:
// parts (part, parameter, 4). shares (parameters + 1): where the gates of each parameter begin in sharing.
extern "C" __global__ void __launch_bounds__(256, 1)
    soft_merge(const Shape* __restrict__ shape_, const Circuit* __restrict__ circuit_, const int* __restrict__ shares,
               const int* __restrict__ sharing, const REAL* __restrict__ sums, REAL* __restrict__ parts) {
  const int columns = 4 * circuit_->parameters, gates = circuit_->gates;
  const int part = blockIdx.x, column = blockIdx.y * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  const int first = part * shape_->runs_per_part, end = min(first + shape_->runs_per_part, shape_->runs);
  REAL total = 0;
  for (int run = first; run < end; run++)
    for (int s = shares[column / 4]; s < shares[column / 4 + 1]; s++)
      total += sums[((size_t)run * gates + sharing[s]) * 4 + column % 4];
  parts[(size_t)part * columns + column] = total;
}
