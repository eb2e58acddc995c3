// The linear assignment problem by shortest augmenting paths, on whole numbers, by one warp.

constexpr long long FAR = 1LL << 62;

// Prices of rows and columns, their partners (-1 is none), and what one search needs. Column t is lane t % 32's.
struct Matching {
  long long *row_price, *column_price, *distance;
  int *column_of, *row_of, *came_from, *done;
};

// A cell that lanes compare: the least value wins, then the one that is free, then the first.
struct Candidate {
  long long value;
  int taken, index;
};

__device__ inline bool better(const Candidate& a, const Candidate& b) {
  if (a.value != b.value) return a.value < b.value;
  return a.taken != b.taken ? a.taken < b.taken : a.index < b.index;
}

// The best candidate of all lanes, in every lane.
__device__ inline Candidate best_of_lanes(Candidate own) {
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    Candidate other;
    other.value = __shfl_xor_sync(EVERY_LANE, own.value, distance);
    other.taken = __shfl_xor_sync(EVERY_LANE, own.taken, distance);
    other.index = __shfl_xor_sync(EVERY_LANE, own.index, distance);
    if (better(other, own)) own = other;
  }
  return own;
}

// Price each row at its cheapest cell, and match those that do not collide; return the sum of prices.
__device__ inline long long cheapest_cells(const long long* cost, int rows, int columns, const Matching& match) {
  for (int column = lane(); column < columns; column += LANES) {
    match.column_price[column] = 0;
    match.row_of[column] = -1;
  }
  long long total = 0;
  for (int row = 0; row < rows; row++) {
    Candidate own{FAR, 0, columns};
    for (int column = lane(); column < columns; column += LANES) {
      const Candidate cell{cost[(size_t)row * columns + column], 0, column};
      if (better(cell, own)) own = cell;
    }
    const Candidate best = best_of_lanes(own);
    if (best.index % LANES == lane()) {
      const bool free = match.row_of[best.index] < 0;
      if (free) match.row_of[best.index] = row;
      match.column_of[row] = free ? best.index : -1;
      match.row_price[row] = best.value;
    }
    total += best.value;
  }
  __syncwarp();
  return total;
}

// Match `start` along the shortest path to a free column; return the path's length.
__device__ inline long long augment(const long long* cost, int start, int columns, const Matching& match) {
  for (int column = lane(); column < columns; column += LANES) {
    match.distance[column] = FAR;
    match.done[column] = 0;
  }
  long long reached = 0;
  int row = start, end = -1;
  while (row >= 0) {
    const long long base = reached - match.row_price[row];
    Candidate own{FAR, 1, columns};
    for (int column = lane(); column < columns; column += LANES) {
      if (match.done[column]) continue;
      const long long through = base + cost[(size_t)row * columns + column] - match.column_price[column];
      if (through < match.distance[column]) {
        match.distance[column] = through;
        match.came_from[column] = row;
      }
      const Candidate cell{match.distance[column], match.row_of[column] >= 0, column};
      if (better(cell, own)) own = cell;
    }
    const Candidate nearest = best_of_lanes(own);
    if (nearest.index % LANES == lane()) match.done[nearest.index] = 1;
    reached = nearest.value;
    end = nearest.index;
    row = match.row_of[end];
  }
  __syncwarp();
  // Move the prices along the search, so that cells of the path become tight and none overpriced.
  if (lane() == 0) match.row_price[start] += reached;
  for (int column = lane(); column < columns; column += LANES)
    if (match.done[column] && match.row_of[column] >= 0) {
      const long long gain = reached - match.distance[column];
      match.row_price[match.row_of[column]] += gain;
      match.column_price[column] -= gain;
    }
  __syncwarp();
  if (lane() == 0)
    while (end >= 0) {
      row = match.came_from[end];
      match.row_of[end] = row;
      const int before = match.column_of[row];
      match.column_of[row] = end;
      end = before;
    }
  __syncwarp();
  return reached;
}

// Give each row of cost (rows, columns), rows <= columns, a column of its own; return the least sum. It grows from
// below, and as soon as it reaches `enough` it is returned, with rows still unmatched.
__device__ inline long long assign(const long long* cost, int rows, int columns, const Matching& match,
                                   long long enough) {
  long long total = cheapest_cells(cost, rows, columns, match);
  for (int row = 0; row < rows && total < enough; row++)
    if (match.column_of[row] < 0) total += augment(cost, row, columns, match);
  return total;
}
