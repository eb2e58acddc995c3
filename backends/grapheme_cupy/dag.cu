// Directed acyclic graphs: levels, and passes that go through them level by level, floats being REAL.
//
// Threads are in a row. A launch of one block may go through many levels, with a barrier after each; a level that keeps
// more threads busy is a launch of its own. Nobody adds to anybody else's sum, so the order of every sum is fixed.

// Set values (nodes, features) on levels first to last - 1. offsets (levels + 1) and nodes: the nodes by level;
// starts (nodes + 1), sources and rows: the arcs into these nodes, in this order, and where their weights are.
extern "C" __global__ void __launch_bounds__(1024, 1)
    dag_forward(const long long* __restrict__ offsets, const int* __restrict__ nodes,
                const long long* __restrict__ starts, const int* __restrict__ sources,
                const long long* __restrict__ rows, const REAL* __restrict__ weights, REAL slope, int features,
                int first, int last, REAL* values) {
  for (int level = first; level < last; level++) {
    const long long begin = offsets[level], size = (offsets[level + 1] - begin) * features;
    for (long long i = this_thread(); i < size; i += all_threads()) {
      const long long place = begin + i / features;
      const int feature = i % features;
      const long long end = starts[place + 1];
      if (starts[place] == end) continue;
      REAL total = 0;
      for (long long arc = starts[place]; arc < end; arc++)
        total += weights[rows[arc]] * values[(size_t)sources[arc] * features + feature];
      values[(size_t)nodes[place] * features + feature] = total > 0 ? total : slope * total;
    }
    if (last - first > 1) __syncthreads();
  }
}

// Pull the gradient of the values, below (nodes, features), down from level last - 1 to first; what reaches the
// weighted sum of an inner node goes to sums. indptr and indices: the arcs out of each node, in the order of weights.
extern "C" __global__ void __launch_bounds__(1024, 1)
    dag_grad(const long long* __restrict__ offsets, const int* __restrict__ nodes, const long long* __restrict__ indptr,
             const int* __restrict__ indices, const REAL* __restrict__ weights, const REAL* __restrict__ values,
             const bool* __restrict__ inner, REAL slope, int features, int first, int last, REAL* __restrict__ below,
             REAL* sums) {
  for (int level = last - 1; level >= first; level--) {
    const long long begin = offsets[level], size = (offsets[level + 1] - begin) * features;
    for (long long i = this_thread(); i < size; i += all_threads()) {
      const int node = nodes[begin + i / features], feature = i % features;
      const size_t own = (size_t)node * features + feature;
      REAL total = below[own];
      const long long end = indptr[node + 1];
      for (long long arc = indptr[node]; arc < end; arc++)
        total += weights[arc] * sums[(size_t)indices[arc] * features + feature];
      if (inner[node]) {
        sums[own] = values[own] > 0 ? total : slope * total;
        total = 0;
      }
      below[own] = total;
    }
    if (last - first > 1) __syncthreads();
  }
}

// The gradient of each weight: what reaches the sum that its arc leads to, times the value that it comes from.
extern "C" __global__ void __launch_bounds__(256, 4)
    dag_weights(const long long* __restrict__ indptr, const int* __restrict__ indices, const REAL* __restrict__ values,
                const REAL* __restrict__ sums, int nodes, int features, REAL* __restrict__ grad_weights) {
  const long long arcs = indptr[nodes];
  for (long long arc = this_thread(); arc < arcs; arc += all_threads()) {
    const long long source = after(indptr, 0LL, (long long)nodes + 1, arc) - 1;
    const REAL* above = sums + (size_t)indices[arc] * features;
    const REAL* value = values + (size_t)source * features;
    REAL total = 0;
    for (int feature = 0; feature < features; feature++) total += above[feature] * value[feature];
    grad_weights[arc] = total;
  }
}
