// Core numbers, and the arcs of an orientation.

// Lower each node's estimate to the largest h of which at least h neighbours have an estimate of h or more; begun with
// the degrees and repeated until nothing changes, that is the core number (Lue et al. 2016). A warp takes a node.
extern "C" __global__ void __launch_bounds__(256, 4)
    degeneracy_lower(const long long* __restrict__ indptr, const int* __restrict__ indices, int nodes,
                     const int* __restrict__ before, int* __restrict__ now, int* changed) {
  for (long long v = this_warp(); v < nodes; v += all_warps()) {
    const long long begin = indptr[v], end = indptr[v + 1];
    int low = 0, high = before[v], trial = high;  // the answer is in low, ..., high; most often nothing changes
    while (low < high) {
      int reaching = 0;
      for (long long arc = begin + lane(); arc < end; arc += LANES) reaching += before[indices[arc]] >= trial;
      if (sum_over_lanes(reaching) >= trial)
        low = trial;
      else
        high = trial - 1;
      trial = low + (high - low + 1) / 2;
    }
    if (lane() == 0) {
      now[v] = low;
      if (low != before[v]) atomicExch(changed, 1);
    }
  }
}

// Write for each arc between nodes of the order, from one to a later one, a key of both their places: `nodes` times
// the first plus the second. rank (all nodes): the place of each in the order, or -1; other keys stay as they are.
extern "C" __global__ void __launch_bounds__(256, 4)
    degeneracy_keys(const long long* __restrict__ indptr, const int* __restrict__ indices,
                    const int* __restrict__ order, const int* __restrict__ rank, int nodes,
                    long long* __restrict__ keys) {
  for (long long r = this_warp(); r < nodes; r += all_warps()) {
    const long long end = indptr[order[r] + 1];
    for (long long arc = indptr[order[r]] + lane(); arc < end; arc += LANES) {
      const int later = rank[indices[arc]];
      if (later > r) keys[arc] = r * nodes + later;
    }
  }
}
