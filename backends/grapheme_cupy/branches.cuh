// One pair of graphs, and the branch bound on what a partial mapping of its nodes leaves open; a warp works on it.
//
// Costs are counted from "the second graph is inserted whole", so a row can be deleted and leave its column for an
// insertion that is paid for already; branch costs are doubled, so that half edges are whole numbers.

constexpr int DELETED = -1, OPEN = -2;

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

// What a warp works on; parts of the workspaces that it owns. Rows and columns are the nodes that are still open.
struct Work {
  long long *cost, *drop, *inserted;   // (rows, columns), (rows), (columns): see branches
  long long* more;                     // (columns + 1)
  Matching match;
  int *rows, *columns, *used, *near, *trial;
  int *left, *right;  // (rows, codes), (columns, codes): how many edges to open nodes have each code; of all codes at 0
};

__device__ inline Work work_of_warp(long long* long_work, int* int_work, int room, int codes) {
  Work own;
  own.cost = long_work + this_warp() * (room * (room + 6) + 1);
  own.drop = own.cost + (size_t)room * room;
  own.inserted = own.drop + room;
  own.match.row_price = own.inserted + room;
  own.match.column_price = own.match.row_price + room;
  own.match.distance = own.match.column_price + room;
  own.more = own.match.distance + room;
  own.match.column_of = int_work + this_warp() * room * (9 + 2 * codes);
  own.match.row_of = own.match.column_of + room;
  own.match.came_from = own.match.row_of + room;
  own.match.done = own.match.came_from + room;
  own.rows = own.match.done + room;
  own.columns = own.rows + room;
  own.used = own.columns + room;
  own.near = own.used + room;
  own.trial = own.near + room;
  own.left = own.trial + room;
  own.right = own.left + (size_t)room * codes;
  return own;
}

// How many nodes of each graph are open.
struct Open {
  int rows, columns;
};

__device__ inline Open list_open(const Pair& pair, const int* mapping, const Work& work) {
  for (int j = lane(); j < pair.m; j += LANES) work.used[j] = 0;
  __syncwarp();
  Open open{0, 0};
  for (int first = 0; first < pair.n; first += LANES) {
    const int i = first + lane(), becomes = i < pair.n ? mapping[i] : DELETED;
    const unsigned found = __ballot_sync(EVERY_LANE, becomes == OPEN);
    if (becomes == OPEN) work.rows[open.rows + rank_among(found)] = i;
    if (becomes >= 0) work.used[becomes] = 1;
    open.rows += __popc(found);
  }
  __syncwarp();
  for (int first = 0; first < pair.m; first += LANES) {
    const int j = first + lane();
    const bool there = j < pair.m && !work.used[j];
    const unsigned found = __ballot_sync(EVERY_LANE, there);
    if (there) work.columns[open.columns + rank_among(found)] = j;
    open.columns += __popc(found);
  }
  __syncwarp();
  return open;
}

// Count the edges of a node to listed ones by their codes.
__device__ inline void count(const int* edges, const int* others, int many, int codes, int* bag) {
  for (int code = 0; code < codes; code++) bag[code] = 0;
  for (int k = 0; k < many; k++) {
    const int code = edges[others[k]];
    if (code) {
      bag[code]++;
      bag[0]++;
    }
  }
}

// Count edges, and what it costs to delete each row and to insert the edges of each column. The lanes have yet to meet
// before they read it.
__device__ inline void prepare(const Pair& pair, const int* mapping, const Work& work, const Open& open) {
  for (int s = lane(); s < open.rows; s += LANES) {
    const int i = work.rows[s];
    count(pair.a_edges + (size_t)i * pair.room, work.rows, open.rows, pair.edge_codes, work.left + s * pair.edge_codes);
    long long drop = 2 * pair.place(i, DELETED);
    for (int k = 0; k < pair.n; k++) drop += (mapping[k] == OPEN ? 1 : 2) * pair.edge(pair.a(i, k), 0);
    work.drop[s] = drop;
  }
  for (int t = lane(); t < open.columns; t += LANES) {
    const int j = work.columns[t];
    count(pair.b_edges + (size_t)j * pair.room, work.columns, open.columns, pair.edge_codes,
          work.right + t * pair.edge_codes);
    long long inserted = 0;
    for (int u = 0; u < open.columns; u++) inserted += pair.edge(0, pair.b(j, work.columns[u]));
    work.inserted[t] = inserted;
  }
}

// The cost of the branch of row s becoming that of column t.
__device__ inline long long branch(const Sizes& sizes, const Pair& pair, const Work& work, int s, int t) {
  const int *left = work.left + s * pair.edge_codes, *right = work.right + t * pair.edge_codes;
  int common = 0;
  for (int code = 1; code < pair.edge_codes; code++) common += min(left[code], right[code]);
  const int more = left[0] - right[0];
  const long long changed = (min(left[0], right[0]) - common) * sizes.change;
  const long long surplus = more > 0 ? more * sizes.remove : -more * sizes.insert;
  return 2 * pair.place(work.rows[s], work.columns[t]) + changed + surplus - work.inserted[t];
}

// List the neighbours of node i that are decided; return how many they are.
__device__ inline int list_near(const Pair& pair, const int* mapping, const Work& work, int i) {
  int near = 0;
  for (int first = 0; first < pair.n; first += LANES) {
    const int k = first + lane();
    const bool decided = k < pair.n && pair.a(i, k) && mapping[k] != OPEN;
    const unsigned found = __ballot_sync(EVERY_LANE, decided);
    if (decided) work.near[near + rank_among(found)] = k;
    near += __popc(found);
  }
  __syncwarp();
  return near;
}

// Fill work.cost: what each row costs as each column, or deleted if that is cheaper. Its edges to decided nodes count
// twice, for they are known; those to other rows once, for their other half is counted at their other end.
__device__ inline Open branches(const Sizes& sizes, const Pair& pair, const int* mapping, const Work& work) {
  const Open open = list_open(pair, mapping, work);
  prepare(pair, mapping, work, open);
  for (int s = 0; s < open.rows; s++) {
    const int i = work.rows[s], near = list_near(pair, mapping, work, i);
    for (int t = lane(); t < open.columns; t += LANES) {
      long long cost = branch(sizes, pair, work, s, t);
      for (int at = 0; at < near; at++) {
        const int k = work.near[at];
        cost += 2 * pair.turn(pair.a(i, k), pair.b(work.columns[t], mapping[k]));
      }
      work.cost[(size_t)s * open.columns + t] = min(cost, work.drop[s]);
    }
    __syncwarp();  // the next row takes the same list
  }
  return open;
}

// Whether deleting a node can ever be cheaper than giving it a free node of the second graph.
__device__ inline bool droppable(const Pair& pair, int i) {
  bool found = false;
  for (int j = 0; j < pair.m; j++) found |= pair.place(i, j) > pair.place(i, DELETED);
  return found;
}

// Decide the rows of a mapping as they are matched.
__device__ inline void complete(const Pair& pair, const Work& work, const Open& open, int* mapping) {
  for (int s = lane(); s < open.rows; s += LANES) {
    const int i = work.rows[s], t = work.match.column_of[s];
    const bool dropped = work.cost[(size_t)s * open.columns + t] == work.drop[s] && droppable(pair, i);
    mapping[i] = dropped ? DELETED : work.columns[t];
  }
  __syncwarp();
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

// The cost of node i as node j, with its edges to the decided nodes before `until` but `except`, as these are mapped.
__device__ inline long long placed(const Pair& pair, const int* mapping, int i, int j, int until, int except) {
  long long total = pair.place(i, j);
#pragma unroll 1  // it is inlined so often that the compiler would take twice as long
  for (int k = 0; k < until; k++) {
    const int code = pair.a(i, k);
    if (code && k != except && mapping[k] != OPEN) total += pair.turn(code, pair.b(j, mapping[k]));
  }
  return total;
}

// The cost of what a mapping decides, less the insertion.
__device__ inline long long spent(const Pair& pair, const int* mapping) {
  long long total = 0;
  for (int i = lane(); i < pair.n; i += LANES)
    if (mapping[i] != OPEN) total += placed(pair, mapping, i, mapping[i], i, i);
  return sum_over_lanes(total);
}
