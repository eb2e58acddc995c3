// The structural loss, floats being REAL: a soft graph against a target, through a Sinkhorn assignment and back.
//
// A thread block takes an example, and stage after stage fills small matrices of a workspace that it owns, with a
// barrier after each. Every number is one thread's sum in the order of its terms, or a warp's by a fixed tree.

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
    const REAL triangles = w.triangles[i] * w.triangles[i];
    if (lane() == 0) w.shares[i] = p.weights.node * nodes + p.weights.edge * edges + p.weights.clique * triangles;
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
#pragma unroll 2  // four at a time would take too many registers, here and below
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
#pragma unroll 2
    for (int c = 0; c < p.classes; c++) {
      total = fma(w.leaving[a + c], w.what[b + c], total);
      total = fma(w.what[a + c], w.entering[b + c], total);
    }
    w.grad_joined[cell] = i == j ? total : total + sides_grad(p, i, j);
    w.apart[cell] = 0;
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
  sinkhorn(p.work.steps, p.n, p.iterations);
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
  sinkhorn_grad(p.work.steps, p.work.grad, p.n, p.iterations);
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
