// Edit distances in bulk: the bound of branches and a good mapping of every pair, a warp for each.

// The cost of two nodes becoming p and q, with all their edges.
__device__ inline long long both(const Pair& pair, const int* mapping, int i, int p, int k, int q) {
  return placed(pair, mapping, i, p, pair.n, k) + placed(pair, mapping, k, q, pair.n, i) +
         pair.turn(pair.a(i, k), pair.b(p, q));
}

// Give node i the free node, or none, or the partner of another node in exchange, that saves most; say whether any does.
// Moves are numbered from 0: to a node of the second graph, then to none, then exchanges.
__device__ inline bool improve(const Pair& pair, int* mapping, int* used, int i) {
  const int from = mapping[i], moves = pair.m + 1;
  const long long before = placed(pair, mapping, i, from, pair.n, i);
  Candidate own{0, 0, moves + pair.n};
  for (int move = lane(); move < moves + pair.n; move += LANES) {
    Candidate cell{0, 0, move};
    if (move < moves) {
      const int to = move < pair.m ? move : DELETED;
      if (to == from || (to != DELETED && used[to])) continue;
      cell.value = placed(pair, mapping, i, to, pair.n, i) - before;
    } else {
      const int k = move - moves;
      if (k == i) continue;
      cell.value = both(pair, mapping, i, mapping[k], k, from) - both(pair, mapping, i, from, k, mapping[k]);
    }
    if (better(cell, own)) own = cell;
  }
  const Candidate best = best_of_lanes(own);
  __syncwarp();  // all lanes have read the mapping before it changes
  if (best.value < 0 && lane() == 0) {
    const int to = best.index < pair.m ? best.index : best.index < moves ? DELETED : mapping[best.index - moves];
    if (best.index >= moves) {
      mapping[best.index - moves] = from;
    } else {
      if (from != DELETED) used[from] = 0;
      if (to != DELETED) used[to] = 1;
    }
    mapping[i] = to;
  }
  __syncwarp();
  return best.value < 0;
}

// Fill lower (pairs) and mappings (pairs, nodes): the bound of branches, and the assignment that it comes from.
extern "C" __global__ void __launch_bounds__(256, 2)
    edits_bounds(const Sizes* __restrict__ sizes_, const int* __restrict__ nodes, const int* __restrict__ edges,
                 const int* __restrict__ counts, const long long* __restrict__ node_costs,
                 const long long* __restrict__ edge_costs, const int* __restrict__ pairs, long long* long_work,
                 int* int_work, long long* __restrict__ lower, int* mappings) {
  const Sizes& sizes = *sizes_;
  const Graphs graphs{nodes, edges, counts, node_costs, edge_costs};
  const Work work = work_of_warp(long_work, int_work, sizes.nodes, sizes.edge_codes);
  for (long long p = this_warp(); p < sizes.pairs; p += all_warps()) {
    const Pair pair = pair_at(sizes, graphs, pairs, p);
    int* mapping = mappings + p * pair.room;
    for (int i = lane(); i < pair.room; i += LANES) mapping[i] = i < pair.n ? OPEN : DELETED;
    const Open open = branches(sizes, pair, mapping, work);
    const long long base = insertion(pair), least = assign(work.cost, open.rows, open.columns, work.match, FAR);
    if (lane() == 0) lower[p] = base + ((least + 1) >> 1);  // half, rounded up, of what may be below 0
    complete(pair, work, open, mapping);
  }
}

// Refine mappings (pairs, nodes) that cost more than lower (pairs), and fill upper (pairs) with their costs.
// used (warps, nodes): a workspace that says which nodes of the second graph are taken.
extern "C" __global__ void __launch_bounds__(256, 2)
    edits_mappings(const Sizes* __restrict__ sizes_, const int* __restrict__ nodes, const int* __restrict__ edges,
                   const int* __restrict__ counts, const long long* __restrict__ node_costs,
                   const long long* __restrict__ edge_costs, const int* __restrict__ pairs, int* used_,
                   const long long* __restrict__ lower, long long* __restrict__ upper, int* mappings) {
  const Sizes& sizes = *sizes_;
  const Graphs graphs{nodes, edges, counts, node_costs, edge_costs};
  int* used = used_ + this_warp() * sizes.nodes;
  for (long long p = this_warp(); p < sizes.pairs; p += all_warps()) {
    const Pair pair = pair_at(sizes, graphs, pairs, p);
    int* mapping = mappings + p * pair.room;
    for (int j = lane(); j < pair.m; j += LANES) used[j] = 0;
    __syncwarp();
    for (int i = lane(); i < pair.n; i += LANES)
      if (mapping[i] != DELETED) used[mapping[i]] = 1;
    __syncwarp();
    const long long base = insertion(pair);
    bool further = lower[p] < base + spent(pair, mapping);
    while (further) {
      further = false;
      for (int i = 0; i < pair.n; i++) further |= improve(pair, mapping, used, i);
    }
    const long long cost = base + spent(pair, mapping);
    if (lane() == 0) upper[p] = cost;
  }
}
