// Networks on rows of features, floats being REAL: products with matrices, their gradients, sums of chosen rows.
//
// Every sum runs over its terms in their order, in one thread, so no bit depends on how many rows there are or on who
// computes which of them.

constexpr int TILE = 32;  // rows and columns of a block, which has 32 x 8 threads

// The row that number r stands for: itself, or what the list says.
__device__ inline long long chosen(const int* __restrict__ list, long long r) { return list == nullptr ? r : list[r]; }

// out (rows, outer) = bias + in (rows, inner) x matrix (inner, outer), or + instead of =. Rows of in and of out may be
// listed; transposed: the matrix is (outer, inner); bias (outer) or null. A thread owns four rows of a column.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_product(const REAL* __restrict__ in, const int* __restrict__ in_rows, const REAL* __restrict__ matrix,
                 int transposed, const REAL* __restrict__ bias, REAL* __restrict__ out,
                 const int* __restrict__ out_rows, long long rows, int inner, int outer, int adds) {
  __shared__ REAL left[TILE][TILE + 1], right[TILE][TILE + 1];
  const long long first = (long long)blockIdx.x * TILE;
  const int column = blockIdx.y * TILE + lane();
  REAL total[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const long long row = first + warp() + 8 * i;
    const bool inside = row < rows && column < outer;
    total[i] = !inside ? REAL(0) : adds ? out[chosen(out_rows, row) * outer + column] : bias ? bias[column] : REAL(0);
  }
  for (int begin = 0; begin < inner; begin += TILE) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int at = warp() + 8 * i;  // a row of in, and for the matrix what the sum runs over, or if transposed a column
      const bool there = first + at < rows && begin + lane() < inner;
      left[at][lane()] = there ? in[chosen(in_rows, first + at) * inner + begin + lane()] : REAL(0);
      if (transposed) {
        const int mine = blockIdx.y * TILE + at;
        const bool held = mine < outer && begin + lane() < inner;
        right[lane()][at] = held ? matrix[(size_t)mine * inner + begin + lane()] : REAL(0);
      } else {
        const bool held = begin + at < inner && column < outer;
        right[at][lane()] = held ? matrix[(size_t)(begin + at) * outer + column] : REAL(0);
      }
    }
    __syncthreads();
    const int end = min(TILE, inner - begin);
    for (int k = 0; k < end; k++)
#pragma unroll
      for (int i = 0; i < 4; i++) total[i] = fma(left[warp() + 8 * i][k], right[k][lane()], total[i]);
    __syncthreads();  // the next tile takes the same place
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const long long row = first + warp() + 8 * i;
    if (row < rows && column < outer) out[chosen(out_rows, row) * outer + column] = total[i];
  }
}

// Add to each group's part, at offset, the products x[r][k] * d[r][j] (inner, outer) summed over its rows, which are
// starts[group] to starts[group + 1] - 1; rows of x and of d may be listed, and without x it is 1 (inner is 1).
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_outer(const REAL* __restrict__ x, const int* __restrict__ x_rows, const REAL* __restrict__ d,
               const int* __restrict__ d_rows, const long long* __restrict__ starts, REAL* __restrict__ parts,
               long long size, long long offset, int inner, int outer) {
  __shared__ REAL left[TILE][TILE + 1], right[TILE][TILE + 1];
  const long long group = blockIdx.x;
  const int above = blockIdx.y * TILE, column = blockIdx.z * TILE + lane();
  const long long end = starts[group + 1];
  REAL total[4] = {0, 0, 0, 0};
  for (long long begin = starts[group]; begin < end; begin += TILE) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int at = warp() + 8 * i;
      const long long row = begin + at;
      const bool there = row < end;
      const bool left_there = there && above + lane() < inner, right_there = there && column < outer;
      left[at][lane()] = !left_there ? REAL(0) : x == nullptr ? REAL(1) : x[chosen(x_rows, row) * inner + above + lane()];
      right[at][lane()] = right_there ? d[chosen(d_rows, row) * outer + column] : REAL(0);
    }
    __syncthreads();
    const int count = min((long long)TILE, end - begin);
    for (int r = 0; r < count; r++)
#pragma unroll
      for (int i = 0; i < 4; i++) total[i] = fma(left[r][warp() + 8 * i], right[r][lane()], total[i]);
    __syncthreads();  // the next rows take the same place
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int k = above + warp() + 8 * i;
    if (k < inner && column < outer) parts[group * size + offset + (long long)k * outer + column] += total[i];
  }
}

// Add to the row of out at targets[s], or set it, the sum of the rows of in that segment s lists: starts[s] to
// starts[s + 1] - 1 of list, each times its scale, if there are scales.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_gather(const REAL* __restrict__ in, const int* __restrict__ list, const REAL* __restrict__ scales,
                const long long* __restrict__ starts, const long long* __restrict__ targets, REAL* __restrict__ out,
                long long segments, int width, int adds) {
  const long long all = segments * width;
  for (long long i = this_thread(); i < all; i += all_threads()) {
    const long long segment = i / width;
    const int column = i % width;
    REAL total = 0;
    for (long long at = starts[segment]; at < starts[segment + 1]; at++) {
      const REAL value = in[(size_t)list[at] * width + column];
      total = scales == nullptr ? total + value : fma(scales[at], value, total);
    }
    const long long target = targets[segment] + column;
    out[target] = adds ? out[target] + total : total;
  }
}

// The mean of a row and its deviation, in every lane.
struct Moments {
  REAL mean, deviation;
};
__device__ inline Moments moments(const REAL* __restrict__ row, int width, REAL epsilon) {
  REAL sum = 0, squares = 0;
  for (int c = lane(); c < width; c += LANES) sum += row[c];
  const REAL mean = sum_over_lanes(sum) / width;
  for (int c = lane(); c < width; c += LANES) squares = fma(row[c] - mean, row[c] - mean, squares);
  return Moments{mean, sqrt(sum_over_lanes(squares) / width + epsilon)};
}

// next = state + LeakyReLU of sums (rows, width), each row normalised, times gain plus shift, if there is a gain.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_activate(const REAL* __restrict__ state, const REAL* __restrict__ sums, const REAL* __restrict__ gain,
                  const REAL* __restrict__ shift, REAL slope, REAL epsilon, REAL* __restrict__ next, long long rows,
                  int width) {
  for (long long r = this_warp(); r < rows; r += all_warps()) {
    const REAL* row = sums + r * width;
    const Moments m = gain == nullptr ? Moments{REAL(0), REAL(1)} : moments(row, width, epsilon);
    for (int c = lane(); c < width; c += LANES) {
      const REAL shown = gain == nullptr ? row[c] : fma((row[c] - m.mean) / m.deviation, gain[c], shift[c]);
      next[r * width + c] = state[r * width + c] + (shown > 0 ? shown : slope * shown);
    }
  }
}

// Pull above (rows, width) back through the activation to below, and through the normalisation if there is a gain;
// then shown and gained are the terms of the gradients of shift and gain.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_activate_grad(const REAL* __restrict__ above, const REAL* __restrict__ sums, const REAL* __restrict__ gain,
                       const REAL* __restrict__ shift, REAL slope, REAL epsilon, REAL* __restrict__ below,
                       REAL* __restrict__ shown_grad, REAL* __restrict__ gained, long long rows, int width) {
  for (long long r = this_warp(); r < rows; r += all_warps()) {
    const REAL *row = sums + r * width, *own = above + r * width;
    if (gain == nullptr) {
      for (int c = lane(); c < width; c += LANES) below[r * width + c] = row[c] > 0 ? own[c] : slope * own[c];
      continue;
    }
    const Moments m = moments(row, width, epsilon);
    REAL sum = 0, along = 0;
    for (int c = lane(); c < width; c += LANES) {
      const REAL normal = (row[c] - m.mean) / m.deviation, shown = fma(normal, gain[c], shift[c]);
      const REAL arriving = shown > 0 ? own[c] : slope * own[c];
      shown_grad[r * width + c] = arriving;
      gained[r * width + c] = arriving * normal;
      sum = fma(arriving, gain[c], sum);
      along = fma(arriving * gain[c], normal, along);
    }
    sum = sum_over_lanes(sum) / width;
    along = sum_over_lanes(along) / width;
    for (int c = lane(); c < width; c += LANES) {
      const REAL normal = (row[c] - m.mean) / m.deviation;
      below[r * width + c] = (shown_grad[r * width + c] * gain[c] - sum - normal * along) / m.deviation;
    }
  }
}

// The cross entropy of each row of logits (rows, classes) and its target, and the gradient of the logits.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_entropy(const REAL* __restrict__ logits, const int* __restrict__ targets, REAL* __restrict__ losses,
                 REAL* __restrict__ grads, long long rows, int classes) {
  for (long long r = this_thread(); r < rows; r += all_threads()) {
    const REAL* row = logits + r * classes;
    REAL most = row[0], sum = 0;
    for (int c = 1; c < classes; c++) most = max(most, row[c]);
#pragma unroll 1  // an exponential is long enough to hide the next load
    for (int c = 0; c < classes; c++) sum += exp(row[c] - most);
    const REAL scale = log(sum);
    losses[r] = scale - (row[targets[r]] - most);
#pragma unroll 1
    for (int c = 0; c < classes; c++) grads[r * classes + c] = exp(row[c] - most - scale) - (c == targets[r] ? 1 : 0);
  }
}

// The softmax of the scores of each segment, starts[s] to starts[s + 1] - 1.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_softmax(const REAL* __restrict__ scores, const long long* __restrict__ starts, REAL* __restrict__ weights,
                 long long segments) {
  for (long long s = this_thread(); s < segments; s += all_threads()) {
    const long long begin = starts[s], end = starts[s + 1];
    if (begin == end) continue;
    REAL most = scores[begin], sum = 0;
    for (long long r = begin; r < end; r++) most = max(most, scores[r]);
#pragma unroll 1
    for (long long r = begin; r < end; r++) sum += exp(scores[r] - most);
#pragma unroll 1
    for (long long r = begin; r < end; r++) weights[r] = exp(scores[r] - most) / sum;
  }
}

// The products, row by row, of a (rows, width) and the rows of b that are listed, summed up over the columns.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_dot(const REAL* __restrict__ a, const REAL* __restrict__ b, const int* __restrict__ list,
             REAL* __restrict__ out, long long rows, int width) {
  for (long long r = this_thread(); r < rows; r += all_threads()) {
    REAL total = 0;
    for (int c = 0; c < width; c++) total = fma(a[r * width + c], b[(size_t)list[r] * width + c], total);
    out[r] = total;
  }
}

// The mean, over pairs of a segment's rows, of their mean squared difference; 0 for fewer than two rows.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_distance(const REAL* __restrict__ x, const long long* __restrict__ starts, REAL* __restrict__ distances,
                  long long segments, int width) {
  for (long long s = this_warp(); s < segments; s += all_warps()) {
    const long long begin = starts[s], end = starts[s + 1], count = end - begin;
    REAL total = 0;
    for (long long a = begin; a < end; a++)
      for (long long b = a + 1; b < end; b++)
        for (int c = lane(); c < width; c += LANES) {
          const REAL difference = x[a * width + c] - x[b * width + c];
          total = fma(difference, difference, total);
        }
    total = sum_over_lanes(total);
    if (lane() == 0) distances[s] = count < 2 ? REAL(0) : total / (REAL(width) * (count * (count - 1) / 2));
  }
}

// The gradient of the sum of these distances; segment_of (rows): where each row belongs.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_distance_grad(const REAL* __restrict__ x, const int* __restrict__ segment_of,
                       const long long* __restrict__ starts, REAL* __restrict__ grad, long long rows, int width) {
  const long long all = rows * width;
  for (long long i = this_thread(); i < all; i += all_threads()) {
    const int segment = segment_of[i / width], column = i % width;
    const long long begin = starts[segment], end = starts[segment + 1], count = end - begin;
    REAL total = 0;
    for (long long other = begin; other < end; other++) total += x[i] - x[other * width + column];
    grad[i] = count < 2 ? REAL(0) : 2 * total / (REAL(width) * (count * (count - 1) / 2));
  }
}

// The mean and the deviation of every column over each segment's rows, which list names.
extern "C" __global__ void __launch_bounds__(256, 4)
    rows_deviation(const REAL* __restrict__ x, const int* __restrict__ list, const long long* __restrict__ starts,
                   REAL epsilon, REAL* __restrict__ means, REAL* __restrict__ deviations, long long segments,
                   int width) {
  const long long all = segments * width;
  for (long long i = this_thread(); i < all; i += all_threads()) {
    const long long begin = starts[i / width], end = starts[i / width + 1];
    const int column = i % width;
    const REAL count = max(1LL, end - begin);
    REAL sum = 0, squares = 0;
    for (long long at = begin; at < end; at++) sum += x[(size_t)list[at] * width + column];
    const REAL mean = sum / count;
    for (long long at = begin; at < end; at++) {
      const REAL centred = x[(size_t)list[at] * width + column] - mean;
      squares = fma(centred, centred, squares);
    }
    means[i] = mean;
    deviations[i] = sqrt(squares / count + epsilon);
  }
}
