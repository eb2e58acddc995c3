// Warps that work on their own: which they are, and sums over their lanes.

// The number of this warp among all warps of the launch, and how many there are.
__device__ inline long long this_warp() { return (long long)blockIdx.x * warps() + warp(); }
__device__ inline long long all_warps() { return (long long)gridDim.x * warps(); }

// The sum over the lanes by a fixed tree, in every lane.
template <class T>
__device__ inline T sum_over_lanes(T value) {
  for (int distance = LANES / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(EVERY_LANE, value, distance);
  return value;
}

// The sum over the lanes before this one.
template <class T>
__device__ inline T sum_before_lane(T value) {
  T sum = value;
  for (int distance = 1; distance < LANES; distance *= 2) {
    const T before = __shfl_up_sync(EVERY_LANE, sum, distance);
    if (lane() >= distance) sum += before;
  }
  return sum - value;
}

// How many lanes before this one have their bit set.
__device__ inline int rank_among(unsigned ballot) { return __popc(ballot & ((1u << lane()) - 1u)); }
