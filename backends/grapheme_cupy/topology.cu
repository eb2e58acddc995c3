// Topological levels: nodes that no arc enters any more are taken away, level by level. Only whole numbers are added
// atomically, so the levels come out the same in any order; that of the queue within a level is free.

// Where the work stands; topology.py reads the fields in this order.
struct Frontier {
  int begin, end;  // of the level that comes next in the queue
  int level;
  int filled;  // how much of the queue is in use
};

// Count the arcs into each node; waiting (nodes) starts as zeros.
extern "C" __global__ void __launch_bounds__(256, 4)
    topology_waiting(const int* __restrict__ indices, long long arcs, int* waiting) {
  for (long long arc = this_thread(); arc < arcs; arc += all_threads()) atomicAdd(&waiting[indices[arc]], 1);
}

// Put the nodes that no arc enters in the queue.
extern "C" __global__ void __launch_bounds__(256, 4)
    topology_roots(const int* __restrict__ waiting, int nodes, int* __restrict__ levels, int* __restrict__ queue,
                   Frontier* frontier) {
  for (long long v = this_thread(); v < nodes; v += all_threads()) {
    levels[v] = waiting[v] ? -1 : 0;
    if (!waiting[v]) queue[atomicAdd(&frontier->filled, 1)] = v;
  }
}

// Take the node away, and queue those of which it was the last before them.
__device__ inline void take(int node, const long long* __restrict__ indptr, const int* __restrict__ indices, int level,
                            int* waiting, int* levels, int* queue, int* filled) {
  for (long long arc = indptr[node]; arc < indptr[node + 1]; arc++) {
    const int target = indices[arc];
    if (atomicSub(&waiting[target], 1) == 1) {
      levels[target] = level + 1;
      queue[atomicAdd(filled, 1)] = target;
    }
  }
}

// Take one level away, by as many blocks as it takes.
extern "C" __global__ void __launch_bounds__(256, 4)
    topology_wide(const long long* __restrict__ indptr, const int* __restrict__ indices, int begin, int end, int level,
                  int* waiting, int* __restrict__ levels, int* queue, Frontier* frontier) {
  for (long long i = begin + this_thread(); i < end; i += all_threads())
    take(queue[i], indptr, indices, level, waiting, levels, queue, &frontier->filled);
}

// One block takes away level after level, from that which begins at `begin`, until one has more than `most` nodes or
// none, and says where it stands.
extern "C" __global__ void __launch_bounds__(1024, 1)
    topology_narrow(const long long* __restrict__ indptr, const int* __restrict__ indices, int begin, int level,
                    int most, int* waiting, int* levels, int* queue, Frontier* frontier) {
  __shared__ int filled;
  int end = frontier->filled;
  if (threadIdx.x == 0) filled = end;
  __syncthreads();
  while (begin < end && end - begin <= most) {
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
      take(queue[i], indptr, indices, level, waiting, levels, queue, &filled);
    __syncthreads();
    begin = end;
    end = filled;
    level++;
    __syncthreads();  // all have read it before it grows
  }
  if (threadIdx.x == 0) *frontier = {begin, end, level, end};
}
