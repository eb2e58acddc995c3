// Depth-first branch and bound through subtrees of partial mappings, a warp for each.
//
// A level decides one node of the first graph. What it may still become is on a stack, level after level, the most
// promising last; the nodes that the levels before it have become are in the path. So all entries of a level have one
// parent, and an entry needs no mapping of its own. All that the lanes of a warp decide together is the same in each.

// What one subtree leaves behind; levels there are `depth`, entries `top`.
struct Stack {
  int *begin, *node;  // of each level: its first entry, and the node that it decides
  int* choice;        // of each entry: what the node becomes
  long long* bound;
  int depth, top;
};

constexpr int MOST_WARPS = 8;  // of a thread block

// Whether two nodes of the second graph can trade places unnoticed.
__device__ inline bool twins(const Pair& pair, int j, int k) {
  bool same = pair.b_nodes[j] == pair.b_nodes[k] && pair.b(j, k) == pair.b(k, j);
  for (int other = 0; same && other < pair.m; other++)
    same = other == j || other == k || pair.b(other, j) == pair.b(other, k);
  return same;
}

__device__ inline bool first_twin(const Pair& pair, const Work& work, int t) {
  bool first = true;
  for (int before = 0; first && before < t; before++) first = !twins(pair, work.columns[before], work.columns[t]);
  return first;
}

// How much more the whole costs if row s becomes column t, by their prices, or is deleted if t is past the last.
__device__ inline long long dearer(const Pair& pair, const Work& work, const Open& open, int s, int t) {
  const long long price = work.match.row_price[s];
  if (t < open.columns) return work.cost[(size_t)s * open.columns + t] - price - work.match.column_price[t];
  return droppable(pair, work.rows[s]) ? max(0LL, work.drop[s] - price) : FAR;
}

// The row with the fewest columns within `slack`; of equals the one with most edges, then the first.
__device__ inline int hardest(const Pair& pair, const Work& work, const Open& open, long long slack) {
  int found = 0;
  long long least = FAR;
  for (int s = 0; s < open.rows; s++) {
    long long ways = 0;
    for (int first = 0; first < open.columns; first += LANES) {
      const int t = first + lane();
      ways += __popc(__ballot_sync(EVERY_LANE, t < open.columns && dearer(pair, work, open, s, t) < slack));
    }
    ways = ways * (open.rows + 1) - work.left[s * pair.edge_codes];
    if (ways < least) {
      found = s;
      least = ways;
    }
  }
  return found;
}

// Open a level for row s: what it can become within `slack`, the dearest first. Of columns that could trade places
// unnoticed only the first is an entry. A mapping below costs at least half of `least` and what it is dearer by.
__device__ inline void descend(const Pair& pair, const Work& work, const Open& open, int s, long long base,
                               long long least, long long slack, Stack& stack) {
  int count = 0;
  for (int first = 0; first <= open.columns; first += LANES) {
    const int t = first + lane();
    const long long more = t <= open.columns ? dearer(pair, work, open, s, t) : FAR;
    const bool entry = more < slack && (t == open.columns || first_twin(pair, work, t));
    if (t <= open.columns) work.more[t] = entry ? more : FAR;
    count += __popc(__ballot_sync(EVERY_LANE, entry));
  }
  __syncwarp();
  for (int t = lane(); t <= open.columns; t += LANES) {
    const long long more = work.more[t];
    if (more == FAR) continue;
    int place = stack.top;
    for (int u = 0; u <= open.columns; u++)
      place += work.more[u] != FAR && (work.more[u] > more || (work.more[u] == more && u < t));
    stack.choice[place] = t < open.columns ? work.columns[t] : DELETED;
    stack.bound[place] = base + ((least + more + 1) >> 1);
  }
  if (lane() == 0) {
    stack.begin[stack.depth] = stack.top;
    stack.node[stack.depth] = work.rows[s];
  }
  stack.depth++;
  stack.top += count;
  __syncwarp();
}

// Move the path to the next entry that may hold a mapping cheaper than `upper`; say whether there is one.
__device__ inline bool advance(Stack& stack, int* path, long long upper) {
  bool found = false;
  while (stack.depth > 0 && !found) {
    const int level = stack.depth - 1, node = stack.node[level];
    int becomes = OPEN;
    if (stack.top == stack.begin[level]) {
      stack.depth--;
    } else {
      stack.top--;
      found = stack.bound[stack.top] < upper;
      if (found) becomes = stack.choice[stack.top];
    }
    if (lane() == 0) path[node] = becomes;
  }
  __syncwarp();
  return found;
}

// Look at the partial mapping `path`: complete it, keep what is cheaper than `upper` in best, and open a level below it
// if something cheaper still may be there. Return the cost of the best.
__device__ inline long long look(const Sizes& sizes, const Pair& pair, const Work& work, const int* path,
                                 long long base, long long upper, int* best, Stack& stack) {
  const long long done = 2 * spent(pair, path);
  const long long enough = 2 * (upper - base) - 1;  // for half a unit more is a whole one more
  const Open open = branches(sizes, pair, path, work);
  const long long least = done + assign(work.cost, open.rows, open.columns, work.match, enough - done);
  if (least >= enough) return upper;
  for (int i = lane(); i < pair.n; i += LANES)
    if (path[i] != OPEN) work.trial[i] = path[i];
  complete(pair, work, open, work.trial);
  const long long cost = min(upper, base + spent(pair, work.trial));
  if (cost < upper)
    for (int i = lane(); i < pair.n; i += LANES) best[i] = work.trial[i];
  const long long slack = 2 * (cost - base) - 1 - least;
  if (slack > 0) descend(pair, work, open, hardest(pair, work, open, slack), base, least, slack, stack);
  return cost;
}

// Look at up to `budget` partial mappings of each subtree (subtrees, nodes), of pair owners (subtrees), with a lower
// bound each. Lower upper (subtrees) and replace mappings (subtrees, nodes) where there is a cheaper one. The stacks,
// which have room for `most` entries, and how many levels and entries they have, ends (subtrees, 2), say what is left.
extern "C" __global__ void __launch_bounds__(256, 2)
    subtree_explore(const Sizes* __restrict__ sizes_, const int* __restrict__ nodes, const int* __restrict__ edges,
                    const int* __restrict__ counts, const long long* __restrict__ node_costs,
                    const long long* __restrict__ edge_costs, const int* __restrict__ pairs,
                    const int* __restrict__ owners, const int* __restrict__ subtrees,
                    const long long* __restrict__ lower, long long tasks, long long budget, long long most,
                    long long* long_work, int* int_work, long long* upper, int* mappings, int* paths, int* levels,
                    int* choices, long long* bounds, int* __restrict__ ends) {
  __shared__ Pair own_pairs[MOST_WARPS];  // the pointers of both would take too many registers
  __shared__ Work own_works[MOST_WARPS];
  const Sizes& sizes = *sizes_;
  const Graphs graphs{nodes, edges, counts, node_costs, edge_costs};
  const Pair& pair = own_pairs[warp()];
  const Work& work = own_works[warp()];
  if (lane() == 0) own_works[warp()] = work_of_warp(long_work, int_work, sizes.nodes, sizes.edge_codes);
  for (long long task = this_warp(); task < tasks; task += all_warps()) {
    if (lane() == 0) own_pairs[warp()] = pair_at(sizes, graphs, pairs, owners[task]);
    __syncwarp();
    int *path = paths + task * pair.room, *level = levels + task * 2 * pair.room;
    Stack stack{level, level + pair.room, choices + task * most, bounds + task * most, 0, 0};
    for (int i = lane(); i < pair.room; i += LANES) path[i] = subtrees[task * pair.room + i];
    const long long base = insertion(pair);
    long long best = upper[task], left = budget;
    bool further = lower[task] < best;
    __syncwarp();
    while (further) {
      best = look(sizes, pair, work, path, base, best, mappings + task * pair.room, stack);
      further = --left > 0 && advance(stack, path, best);
    }
    if (lane() == 0) {
      upper[task] = best;
      ends[2 * task] = stack.depth;
      ends[2 * task + 1] = stack.top;
    }
    __syncwarp();  // the next subtree takes the same place
  }
}

// Write the partial mappings (entries, nodes) that are entries on stacks: of task tasks[e], number places[e].
extern "C" __global__ void __launch_bounds__(256, 4)
    subtree_unfold(const long long* __restrict__ tasks, const long long* __restrict__ places, long long entries,
                   int nodes, long long most, const int* __restrict__ subtrees, const int* __restrict__ paths,
                   const int* __restrict__ levels, const int* __restrict__ choices, const int* __restrict__ ends,
                   int* mappings) {
  for (long long e = this_warp(); e < entries; e += all_warps()) {
    const long long task = tasks[e], place = places[e];
    const int *begin = levels + task * 2 * nodes, *node = begin + nodes, *path = paths + task * nodes;
    int* mapping = mappings + e * nodes;
    int level = 0;
    while (level + 1 < ends[2 * task] && begin[level + 1] <= place) level++;
    for (int i = lane(); i < nodes; i += LANES) mapping[i] = subtrees[task * nodes + i];
    __syncwarp();
    for (int above = lane(); above <= level; above += LANES)
      mapping[node[above]] = above < level ? path[node[above]] : choices[task * most + place];
  }
}
