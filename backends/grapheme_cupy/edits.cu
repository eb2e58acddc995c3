// Edit distances in bulk: the bound of branches and a good mapping of every pair, a warp for each.
//
// Costs are counted from "the second graph is inserted whole", so a row can be deleted and leave its column for an
// insertion that is paid for already; they are doubled, so that half edges are whole numbers.

constexpr int DELETED = -1;

// A batch of graphs; edits.py fills the fields in this order.
struct Sizes {
  long long pairs;
  long long nodes;       // that a graph has room for
  long long node_codes, edge_codes;
  long long change, remove, insert;  // the least cost of changing an edge's code, of deleting an edge, of inserting one
};

// The graphs in codes, nodes (graphs, nodes) and edges (graphs, nodes, nodes), how many nodes each has, and the costs.
struct Graphs {
  const int *nodes, *edges, *counts;
  const long long *node_costs, *edge_costs;
};

// One pair: a first graph of n nodes and a second of m >= n.
struct Pair {
  int n, m, room, node_codes, edge_codes;
  const int *a_nodes, *b_nodes, *a_edges, *b_edges;
  const long long *node_costs, *edge_costs;

  __device__ int a(int i, int k) const { return a_edges[(size_t)i * room + k]; }
  __device__ int b(int j, int l) const { return j < 0 || l < 0 ? 0 : b_edges[(size_t)j * room + l]; }
  __device__ long long node(int x, int y) const { return node_costs[(size_t)x * node_codes + y]; }
  __device__ long long edge(int x, int y) const { return edge_costs[(size_t)x * edge_codes + y]; }
  // What node i costs as node j, and an edge as another, less their insertion.
  __device__ long long place(int i, int j) const {
    return j < 0 ? node(a_nodes[i], 0) : node(a_nodes[i], b_nodes[j]) - node(0, b_nodes[j]);
  }
  __device__ long long turn(int x, int y) const { return edge(x, y) - edge(0, y); }
};

__device__ inline Pair pair_at(const Sizes& sizes, const Graphs& graphs, const int* __restrict__ pairs, long long p) {
  const size_t x = pairs[2 * p], y = pairs[2 * p + 1], room = sizes.nodes;
  return Pair{graphs.counts[x],         graphs.counts[y],         int(room), int(sizes.node_codes), int(sizes.edge_codes),
              graphs.nodes + x * room,  graphs.nodes + y * room,  graphs.edges + x * room * room,
              graphs.edges + y * room * room, graphs.node_costs,  graphs.edge_costs};
}

// What a warp works on; parts of the workspaces that it owns.
struct Work {
  long long *cost, *drop, *inserted;
  Matching match;
  int *left, *right;  // (n, codes), (m, codes): how many edges of each code a node has; of all codes at 0
};

__device__ inline Work work_of_warp(long long* long_work, int* int_work, int room, int codes) {
  Work own;
  own.cost = long_work + this_warp() * room * (room + 5);
  own.drop = own.cost + (size_t)room * room;
  own.inserted = own.drop + room;
  own.match.row_price = own.inserted + room;
  own.match.column_price = own.match.row_price + room;
  own.match.distance = own.match.column_price + room;
  own.match.column_of = int_work + this_warp() * room * (4 + 2 * codes);
  own.match.row_of = own.match.column_of + room;
  own.match.came_from = own.match.row_of + room;
  own.match.done = own.match.came_from + room;
  own.left = own.match.done + room;
  own.right = own.left + (size_t)room * codes;
  return own;
}

// Count the edges of a node by their codes.
__device__ inline void count(const int* edges, int nodes, int codes, int* bag) {
  for (int code = 0; code < codes; code++) bag[code] = 0;
  for (int k = 0; k < nodes; k++)
    if (edges[k]) {
      bag[edges[k]]++;
      bag[0]++;
    }
}

// Count edges, and what it costs to delete each node of the first graph and to insert the edges of each of the second.
__device__ inline void prepare(const Pair& pair, const Work& work) {
  for (int i = lane(); i < pair.n; i += LANES) {
    count(pair.a_edges + (size_t)i * pair.room, pair.n, pair.edge_codes, work.left + (size_t)i * pair.edge_codes);
    long long drop = 2 * pair.place(i, DELETED);
    for (int k = 0; k < pair.n; k++) drop += pair.edge(pair.a(i, k), 0);
    work.drop[i] = drop;
  }
  for (int j = lane(); j < pair.m; j += LANES) {
    count(pair.b_edges + (size_t)j * pair.room, pair.m, pair.edge_codes, work.right + (size_t)j * pair.edge_codes);
    long long inserted = 0;
    for (int l = 0; l < pair.m; l++) inserted += pair.edge(0, pair.b(j, l));
    work.inserted[j] = inserted;
  }
  __syncwarp();
}

// The cost of the branch of node i becoming that of node j.
__device__ inline long long branch(const Sizes& sizes, const Pair& pair, const Work& work, int i, int j) {
  const int *left = work.left + (size_t)i * pair.edge_codes, *right = work.right + (size_t)j * pair.edge_codes;
  int common = 0;
  for (int code = 1; code < pair.edge_codes; code++) common += min(left[code], right[code]);
  const int more = left[0] - right[0];
  const long long changed = (min(left[0], right[0]) - common) * sizes.change;
  const long long surplus = more > 0 ? more * sizes.remove : -more * sizes.insert;
  return 2 * pair.place(i, j) + changed + surplus - work.inserted[j];
}

// The cost of inserting the second graph whole.
__device__ inline long long insertion(const Pair& pair) {
  long long total = 0;
  for (int j = lane(); j < pair.m; j += LANES) {
    total += pair.node(0, pair.b_nodes[j]);
    for (int l = 0; l < j; l++) total += pair.edge(0, pair.b(j, l));
  }
  return sum_over_lanes(total);
}

// The cost of node i as node j, with its edges to the nodes before `until` but `except`, as these are mapped.
__device__ inline long long placed(const Pair& pair, const int* mapping, int i, int j, int until, int except) {
  long long total = pair.place(i, j);
#pragma unroll 1  // it is inlined so often that the compiler would take twice as long
  for (int k = 0; k < until; k++) {
    const int code = pair.a(i, k);
    if (code && k != except) total += pair.turn(code, pair.b(j, mapping[k]));
  }
  return total;
}

// The cost of a mapping, less the insertion.
__device__ inline long long spent(const Pair& pair, const int* mapping) {
  long long total = 0;
  for (int i = lane(); i < pair.n; i += LANES) total += placed(pair, mapping, i, mapping[i], i, i);
  return sum_over_lanes(total);
}

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
                 int* int_work, long long* __restrict__ lower, int* __restrict__ mappings) {
  const Sizes& sizes = *sizes_;
  const Graphs graphs{nodes, edges, counts, node_costs, edge_costs};
  const Work work = work_of_warp(long_work, int_work, sizes.nodes, sizes.edge_codes);
  for (long long p = this_warp(); p < sizes.pairs; p += all_warps()) {
    const Pair pair = pair_at(sizes, graphs, pairs, p);
    prepare(pair, work);
    for (int i = 0; i < pair.n; i++)
      for (int j = lane(); j < pair.m; j += LANES)
        work.cost[(size_t)i * pair.m + j] = min(branch(sizes, pair, work, i, j), work.drop[i]);
    const long long base = insertion(pair), least = assign(work.cost, pair.n, pair.m, work.match);
    if (lane() == 0) lower[p] = base + ((least + 1) >> 1);  // half, rounded up, of what may be below 0
    for (int i = lane(); i < pair.room; i += LANES) {
      const int j = i < pair.n ? work.match.column_of[i] : DELETED;
      const bool kept = j != DELETED && branch(sizes, pair, work, i, j) <= work.drop[i];
      mappings[p * pair.room + i] = kept ? j : DELETED;
    }
    __syncwarp();  // the next pair takes the same place
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
