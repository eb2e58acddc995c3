// Sinkhorn's algorithm in the log domain and its gradient, and the small products of matrices around it, by one thread
// block, floats being REAL.

__device__ inline int this_one() { return warp() * LANES + lane(); }
__device__ inline int of_block() { return warps() * LANES; }

// The largest value of the lanes, in every lane.
__device__ inline REAL most_of_lanes(REAL value) {
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(EVERY_LANE, value, distance));
  return value;
}

// Element (i, j) of a matrix times a matrix, (n, n) x (n, columns); turned: the first one is its transpose.
__device__ inline REAL times(const REAL* a, const REAL* b, int n, int columns, int i, int j, bool turned) {
  const size_t begin = turned ? i : (size_t)i * n, step = turned ? n : 1;
  REAL total = 0;
  for (int l = 0; l < n; l++) total = fma(a[begin + l * step], b[(size_t)l * columns + j], total);
  return total;
}

// The squared distance of two rows.
__device__ inline REAL distance(const REAL* a, const REAL* b, int classes) {
  REAL total = 0;
  for (int c = 0; c < classes; c++) total = fma(a[c] - b[c], a[c] - b[c], total);
  return total;
}

// A row of a step, or a column: where it begins, and how far its elements are from each other. Odd steps are of rows.
struct Line {
  size_t begin, step;
};
__device__ inline Line line_of(int n, int step, int number) {
  return step % 2 ? Line{(size_t)number * n, 1} : Line{(size_t)number, (size_t)n};
}

// Make the rows of before (n, n) sum to 1, or its columns: a warp takes a line.
__device__ inline void normalise(const REAL* before, REAL* now, int n, int step) {
  for (int number = warp(); number < n; number += warps()) {
    const Line line = line_of(n, step, number);
    REAL most = before[line.begin], sum = 0;
    for (int i = lane(); i < n; i += LANES) most = max(most, before[line.begin + i * line.step]);
    most = most_of_lanes(most);
#pragma unroll 1
    for (int i = lane(); i < n; i += LANES) sum += exp(before[line.begin + i * line.step] - most);
    const REAL all = most + log(sum_over_lanes(sum));
    for (int i = lane(); i < n; i += LANES) now[line.begin + i * line.step] = before[line.begin + i * line.step] - all;
  }
}

// Fill steps (1 + 2 iterations, n, n), of which the first is there: the logarithms after each time that rows or
// columns were made to sum to 1.
__device__ inline void sinkhorn(REAL* steps, int n, int iterations) {
  const size_t cells = (size_t)n * n;
  for (int step = 1; step <= 2 * iterations; step++) {
    normalise(steps + (step - 1) * cells, steps + step * cells, n, step);
    __syncthreads();
  }
}

// Pull the gradient of a step back to the one before: a line made to sum to 1 is a softmax.
__device__ inline void normalise_grad(const REAL* now, REAL* grad, int n, int step) {
  for (int number = warp(); number < n; number += warps()) {
    const Line line = line_of(n, step, number);
    REAL sum = 0;
    for (int i = lane(); i < n; i += LANES) sum += grad[line.begin + i * line.step];
    sum = sum_over_lanes(sum);
#pragma unroll 1
    for (int i = lane(); i < n; i += LANES)
      grad[line.begin + i * line.step] -= exp(now[line.begin + i * line.step]) * sum;
  }
}

// Pull the gradient of the last step back to the first, in its place.
__device__ inline void sinkhorn_grad(const REAL* steps, REAL* grad, int n, int iterations) {
  for (int step = 2 * iterations; step > 0; step--) {
    normalise_grad(steps + step * (size_t)n * n, grad, n, step);
    __syncthreads();
  }
}
