// The structural loss, floats being REAL: a soft graph against a target, through a Sinkhorn assignment and back.
//
// A thread block takes an example, and stage after stage fills small matrices of a workspace that it owns, with a barrier
// after each. Every number is one thread's sum in the order of its terms, or a warp's by the fixed tree of its lanes.

// A batch; structure.py fills the fields in this order.
struct Sizes {
  long long examples;
  long long room;  // the most nodes that an example has
  long long classes, kinds, iterations, directed;
};

struct Weights {
  REAL node, edge, clique, temperature;
};

// Where an example begins in the arrays of the batch, and how much of each is its own; structure.py fills the fields.
struct Example {
  long long node, nodes;      // soft nodes
  long long pair, pairs;      // that may be joined
  long long target, targets;  // nodes of the target
  long long edge, edges;      // its edges

  __device__ int size() const { return max(nodes, targets); }  // with the blank nodes
};

// The matrices of one example, (n, n) or (n, classes), those of the kinds one after another; n is its size.
struct Work {
  REAL *what, *leaving, *entering, *aimed_leaving, *aimed_entering, *grad_what;           // (n, classes)
  REAL *joined, *aimed, *apart, *assigned, *sides, *twice, *grad, *grad_joined;           // (n, n)
  REAL *soft, *aim, *onto, *onto_turned;                                                  // (kinds, n, n)
  REAL* steps;                                                                            // (1 + 2 iterations, n, n)
  REAL *triangles, *totals, *shares;                                                      // (n)
};

__device__ inline REAL* take(REAL*& rest, size_t count) {
  REAL* begin = rest;
  rest += count;
  return begin;
}

__device__ inline Work work_of_block(const Sizes& sizes, REAL* work) {
  const size_t room = sizes.room, rows = room * sizes.classes, cells = room * room, kinds = cells * sizes.kinds;
  REAL* rest = work + blockIdx.x * (6 * rows + 4 * kinds + (9 + 2 * sizes.iterations) * cells + 3 * room);
  Work own;
  own.what = take(rest, rows);
  own.leaving = take(rest, rows);
  own.entering = take(rest, rows);
  own.aimed_leaving = take(rest, rows);
  own.aimed_entering = take(rest, rows);
  own.grad_what = take(rest, rows);
  own.joined = take(rest, cells);
  own.aimed = take(rest, cells);
  own.apart = take(rest, cells);
  own.assigned = take(rest, cells);
  own.sides = take(rest, cells);
  own.twice = take(rest, cells);
  own.grad = take(rest, cells);
  own.grad_joined = take(rest, cells);
  own.soft = take(rest, kinds);
  own.aim = take(rest, kinds);
  own.onto = take(rest, kinds);
  own.onto_turned = take(rest, kinds);
  own.steps = take(rest, (1 + 2 * sizes.iterations) * cells);
  own.triangles = take(rest, room);
  own.totals = take(rest, room);
  own.shares = take(rest, room);
  return own;
}

// One example and all that its stages read.
struct Problem {
  int n, classes, kinds, iterations;
  bool directed;
  Example own;
  const int *places, *pairs, *labels, *edges;  // those of the example begin where it says
  const REAL *triangles, *logits;
  Weights weights;
  Work work;

  // What node j of the target is: its column.
  __device__ int code(int j) const { return j < own.targets ? 1 + labels[own.target + j] : 0; }
  __device__ REAL aimed_triangles(int j) const { return j < own.targets ? triangles[own.target + j] : REAL(0); }
  __device__ REAL there(int i) const { return 1 - work.what[(size_t)i * classes]; }
};

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

// What every soft node is, and no edges at all; the softmax of the pairs goes to likely.
__device__ inline void soften(const Problem& p, const REAL* __restrict__ pair_logits, REAL* likely) {
  for (int i = warp(); i < p.n; i += warps()) {
    REAL* row = p.work.what + (size_t)i * p.classes;
    if (i >= p.own.nodes) {
      for (int c = lane(); c < p.classes; c += LANES) row[c] = c == 0;
      continue;
    }
    const REAL* logits = p.logits + (size_t)p.places[p.own.node + i] * p.classes;
    REAL most = logits[0], sum = 0;
    for (int c = lane(); c < p.classes; c += LANES) most = max(most, logits[c]);
    most = most_of_lanes(most);
#pragma unroll 1
    for (int c = lane(); c < p.classes; c += LANES) sum += row[c] = exp(logits[c] - most);
    sum = sum_over_lanes(sum);
    for (int c = lane(); c < p.classes; c += LANES) row[c] /= sum;
  }
  for (int q = this_one(); q < p.own.pairs; q += of_block()) {
    const REAL* logits = pair_logits + (p.own.pair + q) * (1 + p.kinds);
    REAL* row = likely + (p.own.pair + q) * (1 + p.kinds);
    REAL most = logits[0], sum = 0;
    for (int c = 1; c <= p.kinds; c++) most = max(most, logits[c]);
#pragma unroll 1
    for (int c = 0; c <= p.kinds; c++) sum += row[c] = exp(logits[c] - most);
    for (int c = 0; c <= p.kinds; c++) row[c] /= sum;
  }
  for (int i = this_one(); i < p.kinds * p.n * p.n; i += of_block()) p.work.soft[i] = p.work.aim[i] = 0;
}

// The edges of the soft graph and of the target.
__device__ inline void join(const Problem& p, const REAL* likely) {
  const size_t cells = (size_t)p.n * p.n;
  for (int q = this_one(); q < p.own.pairs; q += of_block()) {
    const int a = p.pairs[2 * (p.own.pair + q)], b = p.pairs[2 * (p.own.pair + q) + 1];
    const REAL both = p.there(a) * p.there(b);
    for (int k = 0; k < p.kinds; k++) {
      const REAL value = likely[(p.own.pair + q) * (1 + p.kinds) + 1 + k] * both;
      p.work.soft[k * cells + (size_t)a * p.n + b] = value;
      if (!p.directed) p.work.soft[k * cells + (size_t)b * p.n + a] = value;
    }
  }
  for (int q = this_one(); q < p.own.edges; q += of_block()) {
    const int* edge = p.edges + 3 * (p.own.edge + q);
    p.work.aim[edge[2] * cells + (size_t)edge[0] * p.n + edge[1]] = 1;
    if (!p.directed) p.work.aim[edge[2] * cells + (size_t)edge[1] * p.n + edge[0]] = 1;
  }
}

// How much nodes are joined by edges of any kind.
__device__ inline void merge_kinds(const Problem& p) {
  const int cells = p.n * p.n;
  for (int i = this_one(); i < cells; i += of_block()) {
    REAL joined = 0, aimed = 0;
    for (int k = 0; k < p.kinds; k++) {
      joined += p.work.soft[k * cells + i];
      aimed += p.work.aim[k * cells + i];
    }
    p.work.joined[i] = joined;
    p.work.aimed[i] = aimed;
  }
}

// The sums of what nodes are joined to, by edges that leave and that enter, and how much they are, one way or both.
__device__ inline void look_around(const Problem& p) {
  const Work& w = p.work;
  for (int cell = this_one(); cell < p.n * p.classes; cell += of_block()) {
    const int i = cell / p.classes, c = cell % p.classes;
    w.leaving[cell] = times(w.joined, w.what, p.n, p.classes, i, c, false);
    w.entering[cell] = times(w.joined, w.what, p.n, p.classes, i, c, true);
    REAL leaving = 0, entering = 0;
    for (int j = 0; j < p.n; j++)
      if (p.code(j) == c) {
        leaving += w.aimed[(size_t)i * p.n + j];
        entering += w.aimed[(size_t)j * p.n + i];
      }
    w.aimed_leaving[cell] = leaving;
    w.aimed_entering[cell] = entering;
  }
  for (int cell = this_one(); cell < p.n * p.n; cell += of_block()) {
    const int i = cell / p.n, j = cell % p.n;
    const REAL there = w.joined[cell], back = w.joined[(size_t)j * p.n + i];
    w.sides[cell] = i == j ? REAL(0) : p.directed ? there + back - there * back : there;
  }
}

__device__ inline REAL distance(const REAL* a, const REAL* b, int classes) {
  REAL total = 0;
  for (int c = 0; c < classes; c++) total = fma(a[c] - b[c], a[c] - b[c], total);
  return total;
}

// How far apart nodes are, and the logarithms of the assignment to begin with; the sides' square, for triangles.
__device__ inline void compare(const Problem& p) {
  const Work& w = p.work;
  for (int cell = this_one(); cell < p.n * p.n; cell += of_block()) {
    const int i = cell / p.n, j = cell % p.n, code = p.code(j);
    const size_t a = (size_t)i * p.classes, b = (size_t)j * p.classes;
    REAL apart = 0;
    for (int c = 0; c < p.classes; c++) {
      const REAL difference = w.what[a + c] - (c == code);
      apart = fma(difference, difference, apart);
    }
    const REAL cost = apart + distance(w.leaving + a, w.aimed_leaving + b, p.classes) +
                      distance(w.entering + a, w.aimed_entering + b, p.classes);
    w.apart[cell] = apart;
    w.steps[cell] = -cost / p.weights.temperature;
    w.twice[cell] = times(w.sides, w.sides, p.n, p.n, i, j, false);
  }
}

// A row of a step, or a column: where it begins, and how far its elements are from each other. Odd steps are of rows.
struct Line {
  size_t begin, step;
};
__device__ inline Line line_of(int n, int step, int number) {
  return step % 2 ? Line{(size_t)number * n, 1} : Line{(size_t)number, (size_t)n};
}

// Make the rows sum to 1, or the columns.
__device__ inline void normalise(const Problem& p, int step) {
  const REAL* before = p.work.steps + (size_t)(step - 1) * p.n * p.n;
  REAL* now = p.work.steps + (size_t)step * p.n * p.n;
  for (int number = warp(); number < p.n; number += warps()) {
    const Line line = line_of(p.n, step, number);
    REAL most = before[line.begin], sum = 0;
    for (int i = lane(); i < p.n; i += LANES) most = max(most, before[line.begin + i * line.step]);
    most = most_of_lanes(most);
#pragma unroll 1
    for (int i = lane(); i < p.n; i += LANES) sum += exp(before[line.begin + i * line.step] - most);
    const REAL all = most + log(sum_over_lanes(sum));
    for (int i = lane(); i < p.n; i += LANES) now[line.begin + i * line.step] = before[line.begin + i * line.step] - all;
  }
}

// Pull the gradient of a step back to the one before: a line made to sum to 1 is a softmax.
__device__ inline void normalise_grad(const Problem& p, int step) {
  const REAL* now = p.work.steps + (size_t)step * p.n * p.n;
  REAL* grad = p.work.grad;
  for (int number = warp(); number < p.n; number += warps()) {
    const Line line = line_of(p.n, step, number);
    REAL sum = 0;
    for (int i = lane(); i < p.n; i += LANES) sum += grad[line.begin + i * line.step];
    sum = sum_over_lanes(sum);
#pragma unroll 1
    for (int i = lane(); i < p.n; i += LANES)
      grad[line.begin + i * line.step] -= exp(now[line.begin + i * line.step]) * sum;
  }
}

// The assignment itself.
__device__ inline void assign(const Problem& p) {
  const REAL* last = p.work.steps + (size_t)(2 * p.iterations) * p.n * p.n;
#pragma unroll 1
  for (int cell = this_one(); cell < p.n * p.n; cell += of_block()) p.work.assigned[cell] = exp(last[cell]);
}

// The assignment times the target's edges, and times these turned round; how many triangles too many a node is in.
__device__ inline void carry_over(const Problem& p) {
  const Work& w = p.work;
  const int cells = p.n * p.n;
  for (int cell = this_one(); cell < p.kinds * cells; cell += of_block()) {
    const REAL* aim = w.aim + (size_t)(cell / cells) * cells;
    const int i = cell % cells / p.n, j = cell % p.n;
    w.onto[cell] = times(w.assigned, aim, p.n, p.n, i, j, false);
    REAL turned = 0;
    for (int l = 0; l < p.n; l++) turned = fma(w.assigned[(size_t)i * p.n + l], aim[(size_t)j * p.n + l], turned);
    w.onto_turned[cell] = turned;
  }
  for (int i = warp(); i < p.n; i += warps()) {
    REAL found = 0, wanted = 0;
    for (int j = lane(); j < p.n; j += LANES) {
      found = fma(w.twice[(size_t)i * p.n + j], w.sides[(size_t)j * p.n + i], found);
      wanted = fma(w.assigned[(size_t)i * p.n + j], p.aimed_triangles(j), wanted);
    }
    found = sum_over_lanes(found);
    wanted = sum_over_lanes(wanted);
    if (lane() == 0) w.triangles[i] = found / 2 - wanted;
  }
}

// Replace the soft edges by their differences from those under the assignment.
__device__ inline void take_gaps(const Problem& p) {
  const Work& w = p.work;
  const int cells = p.n * p.n;
  for (int cell = this_one(); cell < p.kinds * cells; cell += of_block()) {
    const REAL* row = w.onto + (size_t)(cell / p.n) * p.n;
    const REAL* other = w.assigned + (size_t)(cell % p.n) * p.n;
    REAL under = 0;
    for (int l = 0; l < p.n; l++) under = fma(row[l], other[l], under);
    w.soft[cell] -= under;
  }
}

// Each node's share in the loss, and the gradient of the assignment's logarithms.
__device__ inline void weigh(const Problem& p) {
  const Work& w = p.work;
  const int cells = p.n * p.n;
  for (int i = warp(); i < p.n; i += warps()) {
    REAL nodes = 0, edges = 0;
    for (int j = lane(); j < p.n; j += LANES) {
      nodes = fma(w.assigned[(size_t)i * p.n + j], w.apart[(size_t)i * p.n + j], nodes);
      for (int k = 0; k < p.kinds; k++) {
        const REAL gap = w.soft[(size_t)k * cells + (size_t)i * p.n + j];
        edges = fma(gap, gap, edges);
      }
    }
    nodes = sum_over_lanes(nodes);
    edges = sum_over_lanes(edges);
    if (lane() == 0)
      w.shares[i] = p.weights.node * nodes + p.weights.edge * edges + p.weights.clique * w.triangles[i] * w.triangles[i];
  }
  for (int cell = this_one(); cell < cells; cell += of_block()) {
    const int i = cell / p.n, j = cell % p.n;
    REAL edges = 0;
    for (int k = 0; k < p.kinds; k++) {
      const REAL *gap = w.soft + (size_t)k * cells, *onto = w.onto + (size_t)k * cells;
      edges += times(gap, w.onto_turned + (size_t)k * cells, p.n, p.n, i, j, false) +
               times(gap, onto, p.n, p.n, i, j, true);
    }
    const REAL triangles = p.weights.clique * w.triangles[i] * p.aimed_triangles(j);
    w.grad[cell] = w.assigned[cell] * (p.weights.node * w.apart[cell] - 2 * triangles - 2 * p.weights.edge * edges);
  }
}

// The gradient of the distances, from that of the logarithms to begin with; its sums over rows go to totals.
__device__ inline void scale(const Problem& p) {
  for (int i = warp(); i < p.n; i += warps()) {
    REAL* row = p.work.grad + (size_t)i * p.n;
    REAL sum = 0;
    for (int j = lane(); j < p.n; j += LANES) sum += row[j] = -row[j] / p.weights.temperature;
    sum = sum_over_lanes(sum);
    if (lane() == 0) p.work.totals[i] = sum;
  }
}

// Pull the gradient of the distances back to what they are between; leaving and entering are replaced by theirs.
__device__ inline void distances_grad(const Problem& p) {
  const Work& w = p.work;
  for (int cell = this_one(); cell < p.n * p.classes; cell += of_block()) {
    const int i = cell / p.classes, c = cell % p.classes;
    const REAL total = w.totals[i];
    w.leaving[cell] = 2 * (total * w.leaving[cell] - times(w.grad, w.aimed_leaving, p.n, p.classes, i, c, false));
    w.entering[cell] = 2 * (total * w.entering[cell] - times(w.grad, w.aimed_entering, p.n, p.classes, i, c, false));
    REAL all = 0, alike = 0;
    for (int j = 0; j < p.n; j++) {
      const REAL grad = fma(p.weights.node, w.assigned[(size_t)i * p.n + j], w.grad[(size_t)i * p.n + j]);
      all += grad;
      if (p.code(j) == c) alike += grad;
    }
    w.grad_what[cell] = 2 * (all * w.what[cell] - alike);
  }
}

// The gradient of the sides between two different nodes, given that of the triangles that each is in.
__device__ inline REAL sides_grad(const Problem& p, int i, int j) {
  const Work& w = p.work;
  REAL through = 0;
  for (int l = 0; l < p.n; l++)
    through = fma(w.sides[(size_t)j * p.n + l] * w.triangles[l], w.sides[(size_t)l * p.n + i], through);
  const REAL below = fma(w.twice[(size_t)j * p.n + i], w.triangles[i] + w.triangles[j], through) * p.weights.clique;
  return p.directed ? 2 * below * (1 - w.joined[(size_t)j * p.n + i]) : below;
}

// Gather the gradients of what nodes are and of how they are joined; apart is cleared, for what pairs leave there.
__device__ inline void gather(const Problem& p) {
  const Work& w = p.work;
  for (int cell = this_one(); cell < p.n * p.classes; cell += of_block()) {
    const int i = cell / p.classes, c = cell % p.classes;
    w.grad_what[cell] += times(w.joined, w.leaving, p.n, p.classes, i, c, true) +
                         times(w.joined, w.entering, p.n, p.classes, i, c, false);
  }
  for (int cell = this_one(); cell < p.n * p.n; cell += of_block()) {
    const int i = cell / p.n, j = cell % p.n;
    const size_t a = (size_t)i * p.classes, b = (size_t)j * p.classes;
    REAL total = 0;
    for (int c = 0; c < p.classes; c++) {
      total = fma(w.leaving[a + c], w.what[b + c], total);
      total = fma(w.what[a + c], w.entering[b + c], total);
    }
    w.grad_joined[cell] = i == j ? total : total + sides_grad(p, i, j);
    w.apart[cell] = 0;
  }
}

// The gradient of the soft edge of kind k that a pair is.
__device__ inline REAL edge_grad(const Problem& p, int k, int a, int b) {
  const size_t cell = (size_t)a * p.n + b, back = (size_t)b * p.n + a, first = (size_t)k * p.n * p.n;
  const REAL grad = 2 * p.weights.edge * p.work.soft[first + cell] + p.work.grad_joined[cell];
  if (p.directed || a == b) return grad;
  return grad + (2 * p.weights.edge * p.work.soft[first + back] + p.work.grad_joined[back]);
}

// Replace the softmax of each pair by the gradient of its logits; what its ends being there is worth goes to apart.
__device__ inline void pairs_grad(const Problem& p, REAL* likely) {
  for (int q = this_one(); q < p.own.pairs; q += of_block()) {
    const int a = p.pairs[2 * (p.own.pair + q)], b = p.pairs[2 * (p.own.pair + q) + 1];
    const REAL both = p.there(a) * p.there(b);
    REAL* row = likely + (p.own.pair + q) * (1 + p.kinds);
    REAL along = 0;
    for (int k = 0; k < p.kinds; k++) along = fma(edge_grad(p, k, a, b), row[1 + k], along);
    p.work.apart[(size_t)a * p.n + b] = along;
    row[0] *= -along * both;
    for (int k = 0; k < p.kinds; k++) row[1 + k] *= (edge_grad(p, k, a, b) - along) * both;
  }
}

// The gradient of the logits of every soft node that is not blank.
__device__ inline void nodes_grad(const Problem& p, REAL* __restrict__ grads) {
  for (int i = warp(); i < p.own.nodes; i += warps()) {
    const REAL *what = p.work.what + (size_t)i * p.classes, *grad = p.work.grad_what + (size_t)i * p.classes;
    REAL there = 0, along = 0;
    for (int j = lane(); j < p.n; j += LANES)
      there = fma(p.work.apart[(size_t)i * p.n + j] + p.work.apart[(size_t)j * p.n + i], p.there(j), there);
    there = sum_over_lanes(there);
    for (int c = lane(); c < p.classes; c += LANES) along = fma(what[c], c ? grad[c] : grad[c] - there, along);
    along = sum_over_lanes(along);
    REAL* out = grads + (size_t)p.places[p.own.node + i] * p.classes;
    for (int c = lane(); c < p.classes; c += LANES) out[c] = what[c] * ((c ? grad[c] : grad[c] - there) - along);
  }
}

// The loss of an example and the gradient of the assignment's logarithms, all that comes before being in the workspace.
__device__ inline void forwards(const Problem& p, const REAL* __restrict__ pair_logits, REAL* likely) {
  soften(p, pair_logits, likely);
  __syncthreads();
  join(p, likely);
  __syncthreads();
  merge_kinds(p);
  __syncthreads();
  look_around(p);
  __syncthreads();
  compare(p);
  __syncthreads();
  for (int step = 1; step <= 2 * p.iterations; step++) {
    normalise(p, step);
    __syncthreads();
  }
  assign(p);
  __syncthreads();
  carry_over(p);
  __syncthreads();
  take_gaps(p);
  __syncthreads();
  weigh(p);
  __syncthreads();
}

__device__ inline void backwards(const Problem& p, REAL* likely, REAL* __restrict__ grads) {
  for (int step = 2 * p.iterations; step > 0; step--) {
    normalise_grad(p, step);
    __syncthreads();
  }
  scale(p);
  __syncthreads();
  distances_grad(p);
  __syncthreads();
  gather(p);
  __syncthreads();
  pairs_grad(p, likely);
  __syncthreads();
  nodes_grad(p, grads);
  __syncthreads();  // the next example takes the same place
}

// Fill losses (examples) and the gradients of the logits. places (soft nodes): the rows of logits (rows, classes), and
// of grads, that they are; pairs (pairs, 2); labels and triangles (nodes of targets); edges (edges, 3). grad_pairs is
// shaped as pair_logits (pairs, 1 + kinds). work: see work_of_block.
extern "C" __global__ void __launch_bounds__(256, 2)
    structure_loss(const Sizes* __restrict__ sizes_, const Weights* __restrict__ weights,
                   const Example* __restrict__ examples, const int* __restrict__ places, const int* __restrict__ pairs,
                   const int* __restrict__ labels, const int* __restrict__ edges, const REAL* __restrict__ triangles,
                   const REAL* __restrict__ logits, const REAL* __restrict__ pair_logits, REAL* work,
                   REAL* __restrict__ losses, REAL* __restrict__ grads, REAL* grad_pairs) {
  __shared__ Problem p;  // its pointers would take too many registers
  const Sizes& sizes = *sizes_;
  for (long long e = blockIdx.x; e < sizes.examples; e += gridDim.x) {
    if (this_one() == 0)
      p = Problem{examples[e].size(), int(sizes.classes), int(sizes.kinds), int(sizes.iterations),
                  sizes.directed != 0, examples[e], places, pairs, labels, edges, triangles, logits, *weights,
                  work_of_block(sizes, work)};
    __syncthreads();
    forwards(p, pair_logits, grad_pairs);
    if (this_one() == 0) {
      REAL total = 0;
      for (int i = 0; i < p.n; i++) total += p.work.shares[i];
      losses[e] = total;
    }
    backwards(p, grad_pairs, grads);
  }
}
