// The soft graph that logits make, its target, and the way back to the logits; a thread block has an example to itself.

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
