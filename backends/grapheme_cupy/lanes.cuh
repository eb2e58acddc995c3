// A thread block is 32 lanes x some warps; what the lanes of a warp work out together.

constexpr int LANES = 32;
constexpr unsigned EVERY_LANE = 0xffffffffu;

__device__ inline int lane() { return threadIdx.x; }
__device__ inline int warp() { return threadIdx.y; }
__device__ inline int warps() { return blockDim.y; }
