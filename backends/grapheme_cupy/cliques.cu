// k-cliques of an orientation. A warp takes an arc: the two smallest nodes of a clique. The others are among the nodes
// that both have arcs to, the members, whose own arcs are rows of bits.
//
// A search looks only at later nodes, so it meets the cliques of an arc in ascending order; all that the lanes of a warp
// decide together is the same in each of them.

// The arcs of some start nodes; cliques.py fills the fields in this order.
struct Arcs {
  long long nodes;
  long long first_node, first_arc, arcs;
};

struct Pair {
  int smallest, second;
  long long begin, end;    // what follows the second in the row of the smallest
  long long begin2, end2;  // the row of the second
};

__device__ inline Pair pair_at(const Arcs& arcs, const long long* __restrict__ indptr, const int* __restrict__ indices,
                               long long task) {
  const long long arc = arcs.first_arc + task;
  Pair pair;
  pair.smallest = after(indptr, 0, arcs.nodes + 1, arc) - 1;
  pair.second = indices[arc];
  pair.begin = arc + 1;
  pair.end = indptr[pair.smallest + 1];
  pair.begin2 = indptr[pair.second];
  pair.end2 = indptr[pair.second + 1];
  return pair;
}

// Count the nodes that both have arcs to, and write them to members, if there is such a place.
__device__ inline int common(const Pair& pair, const int* __restrict__ indices, int* members) {
  const bool swapped = pair.end2 - pair.begin2 < pair.end - pair.begin;
  const long long few = swapped ? pair.begin2 : pair.begin, few_end = swapped ? pair.end2 : pair.end;
  const long long many = swapped ? pair.begin : pair.begin2, many_end = swapped ? pair.end : pair.end2;
  int count = 0;
  for (long long first = few; first < few_end; first += LANES) {
    const long long at = first + lane();
    const bool both = at < few_end && holds(indices, many, many_end, indices[at]);
    const unsigned found = __ballot_sync(EVERY_LANE, both);
    if (both && members != nullptr) members[count + rank_among(found)] = indices[at];
    count += __popc(found);
  }
  return count;
}

// The number of members of each arc, which is that of its triangles.
extern "C" __global__ void __launch_bounds__(256, 4)
    cliques_common(const Arcs* __restrict__ arcs, const long long* __restrict__ indptr,
                   const int* __restrict__ indices, int* __restrict__ sizes) {
  for (long long task = this_warp(); task < arcs->arcs; task += all_warps()) {
    const int count = common(pair_at(*arcs, indptr, indices, task), indices, nullptr);
    if (lane() == 0) sizes[task] = count;
  }
}

// What a search among the members of an arc works on; a warp owns it.
struct Work {
  int* members;    // (most)
  int* chosen;     // (k): the members chosen at each level
  unsigned* bits;  // (most, width): the members that each member has an arc to
  unsigned* sets;  // (k - 3, width): the members still to be tried at each level
  int width;       // words in a row
};

__device__ inline Work work_of_warp(unsigned* work, int k, int most) {
  Work own;
  own.width = (most + 31) / 32;
  const size_t words = most + k + (size_t)(most + k) * own.width;
  unsigned* begin = work + this_warp() * words;
  own.members = reinterpret_cast<int*>(begin);
  own.chosen = reinterpret_cast<int*>(begin + most);
  own.bits = begin + most + k;
  own.sets = own.bits + (size_t)most * own.width;
  return own;
}

// Where the cliques of an arc go: row `begin` and those after it, none before row 0 nor from row `end` on.
struct Place {
  long long begin, end;
  const int* names;
  int* rows;
};

__device__ inline void connect(const Work& work, int members, const long long* __restrict__ indptr,
                               const int* __restrict__ indices) {
  for (int i = 0; i < members; i++) {
    const long long begin = indptr[work.members[i]], end = indptr[work.members[i] + 1];
    for (int w = 0; w < work.width; w++) {
      const int j = 32 * w + lane();
      const bool joined = i < j && j < members && holds(indices, begin, end, work.members[j]);
      const unsigned word = __ballot_sync(EVERY_LANE, joined);
      if (lane() == 0) work.bits[(size_t)i * work.width + w] = word;
    }
  }
}

// Write a clique for each member of `joined`, a word of members from `first` on; return the row after the last.
__device__ inline long long write(const Work& work, const Pair& pair, int k, int last_but_one, int first,
                                  unsigned joined, const Place& place, long long row) {
  for (; joined; joined &= joined - 1, row++) {
    if (row < 0 || row >= place.end) continue;
    int* out = place.rows + row * k;
    out[0] = place.names[pair.smallest];
    out[1] = place.names[pair.second];
    for (int level = 0; level < k - 4; level++) out[2 + level] = place.names[work.members[work.chosen[level]]];
    if (last_but_one >= 0) out[k - 2] = place.names[work.members[last_but_one]];
    out[k - 1] = place.names[work.members[first + __ffs(joined) - 1]];
  }
  return row;
}

// Return `total` and one for each joined pair in the set, and write these cliques if there is a place.
template <bool LISTS>
__device__ inline long long pairs(const Work& work, const Pair& pair, int k, int members, const unsigned* set,
                                  long long cap, long long total, const Place& place) {
  for (int word = 0; word * 32 < members && total < cap; word++) {
    const int i = 32 * word + lane();
    const bool chosen = set[word] >> lane() & 1u;
    int mine = 0;
    for (int w = word; chosen && w < work.width; w++) mine += __popc(set[w] & work.bits[(size_t)i * work.width + w]);
    if (LISTS) {
      long long row = place.begin + total + sum_before_lane(mine);
      for (int w = word; chosen && w < work.width; w++)
        row = write(work, pair, k, i, 32 * w, set[w] & work.bits[(size_t)i * work.width + w], place, row);
    }
    total += sum_over_lanes(mine);
  }
  return total;
}

// Walk through the tree of choices, k > 3; return how many cliques there are, or `cap` or more if there are as many.
// Invariant: every member of the set of a level is joined to all that were chosen at the levels before.
template <bool LISTS>
__device__ inline long long descend(const Work& work, const Pair& pair, int k, int members, long long cap,
                                    const Place& place) {
  const int last = k - 4;
  for (int w = lane(); w < work.width; w += LANES) {
    const int left = members - 32 * w;
    work.sets[w] = left >= 32 ? ~0u : left > 0 ? (1u << left) - 1u : 0u;
  }
  __syncwarp();  // the sets are there, and the bits too
  long long total = 0;
  int level = 0;
  while (level >= 0 && total < cap) {
    unsigned* set = work.sets + (size_t)level * work.width;
    if (level == last) {
      total = pairs<LISTS>(work, pair, k, members, set, cap, total, place);
      level--;
      continue;
    }
    int word = 0;
    while (word < work.width && !set[word]) word++;
    if (word == work.width) {
      level--;
      continue;
    }
    const int chosen = 32 * word + __ffs(set[word]) - 1;
    __syncwarp();  // all lanes have read the set before it changes
    int left = 0;
    for (int w = lane(); w < work.width; w += LANES) {
      const unsigned both = set[w] & work.bits[(size_t)chosen * work.width + w];
      set[work.width + w] = both;
      left += __popc(both);
      if (w == word) set[w] &= set[w] - 1;
    }
    if (lane() == 0) work.chosen[level] = chosen;
    __syncwarp();
    if (sum_over_lanes(left) > last - level) level++;
  }
  return total;
}

// Count the cliques of each arc, k > 3, up to caps (start node). sizes (arc): the members of each, at most `most`.
extern "C" __global__ void __launch_bounds__(256, 4)
    cliques_count(const Arcs* __restrict__ arcs, const long long* __restrict__ indptr, const int* __restrict__ indices,
                  const int* __restrict__ sizes, int k, int most, const long long* __restrict__ caps, unsigned* work_,
                  long long* __restrict__ counts) {
  const Work work = work_of_warp(work_, k, most);
  for (long long task = this_warp(); task < arcs->arcs; task += all_warps()) {
    const Pair pair = pair_at(*arcs, indptr, indices, task);
    const long long cap = caps[pair.smallest - arcs->first_node];
    long long total = 0;
    if (sizes[task] >= k - 2 && cap > 0) {
      const int members = common(pair, indices, work.members);
      __syncwarp();
      connect(work, members, indptr, indices);
      total = min(cap, descend<false>(work, pair, k, members, cap, Place{}));
    }
    if (lane() == 0) counts[task] = total;
  }
}

// List the cliques of each arc. before (arc): the number of cliques of the arcs before it; starts (start node): the row
// of each one's first clique, below 0 if some are to be passed over; ends: the row after its last.
extern "C" __global__ void __launch_bounds__(256, 4)
    cliques_list(const Arcs* __restrict__ arcs, const long long* __restrict__ indptr, const int* __restrict__ indices,
                 const int* __restrict__ sizes, int k, int most, const long long* __restrict__ before,
                 const long long* __restrict__ starts, const long long* __restrict__ ends,
                 const int* __restrict__ names, unsigned* work_, int* __restrict__ rows) {
  const Work work = work_of_warp(work_, k, most);
  for (long long task = this_warp(); task < arcs->arcs; task += all_warps()) {
    const Pair pair = pair_at(*arcs, indptr, indices, task);
    const long long node = pair.smallest - arcs->first_node;
    const long long own = before[task] - before[indptr[pair.smallest] - arcs->first_arc];
    const Place place{starts[node] + own, ends[node], names, rows};
    if (sizes[task] < k - 2 || place.begin >= place.end) continue;
    const int members = common(pair, indices, work.members);
    __syncwarp();
    if (k == 3) {
      for (int i = lane(); i < members; i += LANES) write(work, pair, k, -1, i, 1u, place, place.begin + i);
    } else {
      connect(work, members, indptr, indices);
      descend<true>(work, pair, k, members, place.end - place.begin, place);
    }
    __syncwarp();  // the next arc takes the same place
  }
}
