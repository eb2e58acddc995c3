// Maximal cliques: Bron and Kerbosch with Tomita's pivot, from each node of an order, a warp for each start node.
//
// The candidates are the start node's neighbours after it, as bits; the excluded nodes, those before it, are a list of
// rows of bits that shrinks on the way down. All that the lanes of a warp decide together is the same in each of them.

// How much room a search has; maximal.py fills the fields in this order.
struct Room {
  long long nodes, cap;
  long long later, earlier;  // the most neighbours that any node has after it, and before it
};

// What a search works on; a warp owns it. Rows of bits have `width` words.
struct Work {
  int width;
  int *later, *earlier;   // the neighbours after the start node and before it
  int *outer, *scratch;   // places in earlier; at a level, the first left[level] of outer are still excluded
  int *left, *chosen;     // for each level
  unsigned *bits, *excluded;        // the later neighbours that each later one, and each earlier one, is joined to
  unsigned *open, *done, *branch;   // for each level: candidates, those tried before, and those still to be tried
};

__device__ inline Work work_of_warp(const Room& room, int* ints, unsigned* words) {
  const size_t later = room.later, earlier = room.earlier, levels = later + 1;
  Work own;
  own.width = (later + 31) / 32;
  own.later = ints + this_warp() * (later + 3 * earlier + 2 * levels + 1);
  own.earlier = own.later + later;
  own.outer = own.earlier + earlier;
  own.scratch = own.outer + earlier;
  own.chosen = own.scratch + earlier;
  own.left = own.chosen + levels;
  own.bits = words + this_warp() * (later + earlier + 3 * levels) * own.width;
  own.excluded = own.bits + later * own.width;
  own.open = own.excluded + earlier * own.width;
  own.done = own.open + levels * own.width;
  own.branch = own.done + levels * own.width;
  return own;
}

// How many neighbours of each node come after it in the order; rank (nodes): the place of each.
extern "C" __global__ void __launch_bounds__(256, 4)
    maximal_later(const long long* __restrict__ indptr, const int* __restrict__ indices, const int* __restrict__ rank,
                  int nodes, int* __restrict__ later) {
  for (long long v = this_warp(); v < nodes; v += all_warps()) {
    int count = 0;
    for (long long arc = indptr[v] + lane(); arc < indptr[v + 1]; arc += LANES) count += rank[indices[arc]] > rank[v];
    count = sum_over_lanes(count);
    if (lane() == 0) later[v] = count;
  }
}

// Fill a row of bits: the later neighbours that node v is joined to.
__device__ inline void join(const Work& work, int later, int v, const long long* __restrict__ indptr,
                            const int* __restrict__ indices, unsigned* row) {
  for (int w = 0; w < work.width; w++) {
    const int j = 32 * w + lane();
    const bool joined = j < later && holds(indices, indptr[v], indptr[v + 1], work.later[j]);
    const unsigned word = __ballot_sync(EVERY_LANE, joined);
    if (lane() == 0) row[w] = word;
  }
}

// Part the neighbours of the start node and note which are joined; return how many come after it.
__device__ inline int part(const Work& work, int start, const long long* __restrict__ indptr,
                           const int* __restrict__ indices, const int* __restrict__ rank) {
  int later = 0, earlier = 0;
  for (long long first = indptr[start]; first < indptr[start + 1]; first += LANES) {
    const long long arc = first + lane();
    const bool there = arc < indptr[start + 1], after = there && rank[indices[arc]] > rank[start];
    const unsigned afters = __ballot_sync(EVERY_LANE, after), befores = __ballot_sync(EVERY_LANE, there && !after);
    if (after) work.later[later + rank_among(afters)] = indices[arc];
    if (there && !after) work.earlier[earlier + rank_among(befores)] = indices[arc];
    later += __popc(afters);
    earlier += __popc(befores);
  }
  __syncwarp();
  for (int i = 0; i < later; i++) join(work, later, work.later[i], indptr, indices, work.bits + (size_t)i * work.width);
  for (int i = 0; i < earlier && later; i++)
    join(work, later, work.earlier[i], indptr, indices, work.excluded + (size_t)i * work.width);
  return later;
}

// A node that might be the pivot; the most joined wins, then the first.
struct Pivot {
  int joined, index;
};

__device__ inline Pivot best_of_lanes(Pivot own) {
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    const int joined = __shfl_xor_sync(EVERY_LANE, own.joined, distance);
    const int index = __shfl_xor_sync(EVERY_LANE, own.index, distance);
    if (joined > own.joined || (joined == own.joined && index < own.index)) own = Pivot{joined, index};
  }
  return own;
}

// Set the candidates to be tried to those not joined to the pivot, the node joined to most: a clique has one of them.
__device__ inline void choose_branch(const Work& work, int later, int level) {
  const unsigned *open = work.open + (size_t)level * work.width, *done = work.done + (size_t)level * work.width;
  Pivot own{-1, 0};
  for (int i = lane(); i < later + work.left[level]; i += LANES) {
    const bool inner = i < later;
    if (inner && !((open[i / 32] | done[i / 32]) >> (i % 32) & 1u)) continue;
    const unsigned* row = inner ? work.bits + (size_t)i * work.width
                                : work.excluded + (size_t)work.outer[i - later] * work.width;
    int joined = 0;
    for (int w = 0; w < work.width; w++) joined += __popc(open[w] & row[w]);
    if (joined > own.joined) own = Pivot{joined, i};
  }
  const Pivot best = best_of_lanes(own);
  const unsigned* row = best.index < later ? work.bits + (size_t)best.index * work.width
                                           : work.excluded + (size_t)work.outer[best.index - later] * work.width;
  for (int w = lane(); w < work.width; w += LANES)
    work.branch[(size_t)level * work.width + w] = best.joined < 0 ? 0u : open[w] & ~row[w];
  __syncwarp();
}

// Move the excluded nodes that are joined to the chosen candidate to the front, in order; return how many they are.
// The lanes have yet to meet before they read the list again.
__device__ inline int keep_excluded(const Work& work, int count, int candidate) {
  int kept = 0, others = 0;
  for (int first = 0; first < count; first += LANES) {
    const bool there = first + lane() < count;
    const int place = there ? work.outer[first + lane()] : 0;
    const bool joined =
        there && work.excluded[(size_t)place * work.width + candidate / 32] >> (candidate % 32) & 1u;
    const unsigned keeps = __ballot_sync(EVERY_LANE, joined), drops = __ballot_sync(EVERY_LANE, there && !joined);
    __syncwarp();  // all lanes have read before any writes
    if (joined) work.outer[kept + rank_among(keeps)] = place;
    if (there && !joined) work.scratch[others + rank_among(drops)] = place;
    kept += __popc(keeps);
    others += __popc(drops);
  }
  __syncwarp();
  for (int i = lane(); i < others; i += LANES) work.outer[kept + i] = work.scratch[i];
  return kept;
}

// Write the start node and the chosen candidates, ascending.
__device__ inline void write(const Work& work, int start, int size, int* members) {
  for (int i = lane(); i < size; i += LANES) {
    const int node = i ? work.later[work.chosen[i - 1]] : start;
    int place = i && start < node;
    for (int k = 1; k < size; k++) place += work.later[work.chosen[k - 1]] < node;
    members[place] = node;
  }
}

struct Counts {
  long long cliques, members;
};

// Walk through the tree of choices from one start node; count the cliques, or list them from `begin` on.
// Invariant: at each level, open, done and the first left of outer are joined to every candidate chosen before it.
template <bool LISTS>
__device__ inline Counts descend(const Room& room, const Work& work, int start, int later, int earlier, Counts begin,
                                 long long* offsets, int* members) {
  Counts found{0, 0};
  if (!later && earlier) return found;
  for (int w = lane(); w < work.width; w += LANES) {
    const int left = later - 32 * w;
    work.open[w] = left >= 32 ? ~0u : left > 0 ? (1u << left) - 1u : 0u;
    work.done[w] = 0;
  }
  for (int i = lane(); i < earlier; i += LANES) work.outer[i] = i;
  if (lane() == 0) work.left[0] = earlier;
  __syncwarp();
  int level = 0, size = later ? 0 : 1;  // size: that of a clique just found, or 0
  bool comes_down = later > 0;
  while (level >= 0 && found.members <= room.cap) {
    if (comes_down) choose_branch(work, later, level);
    comes_down = false;
    if (size) {
      if (LISTS) {
        write(work, start, size, members + begin.members + found.members);
        if (lane() == 0) offsets[begin.cliques + found.cliques + 1] = begin.members + found.members + size;
      }
      found.cliques++;
      found.members += size;
      size = 0;
    }
    unsigned *open = work.open + (size_t)level * work.width, *done = work.done + (size_t)level * work.width;
    unsigned* branch = work.branch + (size_t)level * work.width;
    int word = 0;
    while (later && word < work.width && !branch[word]) word++;
    if (!later || word == work.width) {
      level--;
      continue;
    }
    const int candidate = 32 * word + __ffs(branch[word]) - 1;
    __syncwarp();  // all lanes have read the branch before it changes
    bool further = false, tried = false;
    for (int w = lane(); w < work.width; w += LANES) {
      const unsigned row = work.bits[(size_t)candidate * work.width + w];
      const unsigned bit = w == word ? 1u << (candidate % 32) : 0u;
      branch[w] ^= bit;
      open[w] ^= bit;
      open[work.width + w] = open[w] & row;
      done[work.width + w] = done[w] & row;
      further |= open[work.width + w] != 0;
      tried |= done[work.width + w] != 0;
      done[w] |= bit;
    }
    further = __any_sync(EVERY_LANE, further);
    tried = __any_sync(EVERY_LANE, tried);
    const int left = keep_excluded(work, work.left[level], candidate);
    if (lane() == 0) {
      work.chosen[level] = candidate;
      work.left[level + 1] = left;
    }
    __syncwarp();
    comes_down = further;
    if (further)
      level++;
    else if (!tried && !left)
      size = level + 2;
  }
  return found;
}

// Count the cliques and their members of each start node: counts (nodes, 2).
extern "C" __global__ void __launch_bounds__(256, 2)
    maximal_count(const Room* __restrict__ room, const long long* __restrict__ indptr, const int* __restrict__ indices,
                  const int* __restrict__ rank, int* ints, unsigned* words, long long* __restrict__ counts) {
  const Work work = work_of_warp(*room, ints, words);
  for (long long v = this_warp(); v < room->nodes; v += all_warps()) {
    const int later = part(work, v, indptr, indices, rank), degree = indptr[v + 1] - indptr[v];
    const Counts found = descend<false>(*room, work, v, later, degree - later, Counts{0, 0}, nullptr, nullptr);
    if (lane() == 0) {
      counts[2 * v] = found.cliques;
      counts[2 * v + 1] = found.members;
    }
  }
}

// List them: the cliques of node v are those from number begins[v][0] on, their members from begins[v][1] on.
extern "C" __global__ void __launch_bounds__(256, 2)
    maximal_list(const Room* __restrict__ room, const long long* __restrict__ indptr, const int* __restrict__ indices,
                 const int* __restrict__ rank, int* ints, unsigned* words, const long long* __restrict__ begins,
                 long long* __restrict__ offsets, int* __restrict__ members) {
  const Work work = work_of_warp(*room, ints, words);
  for (long long v = this_warp(); v < room->nodes; v += all_warps()) {
    const int later = part(work, v, indptr, indices, rank), degree = indptr[v + 1] - indptr[v];
    descend<true>(*room, work, v, later, degree - later, Counts{begins[2 * v], begins[2 * v + 1]}, offsets, members);
    __syncwarp();  // the next node takes the same place
  }
}
