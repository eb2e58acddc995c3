// Threads in a row that work on their own.

__device__ inline long long this_thread() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline long long all_threads() { return (long long)gridDim.x * blockDim.x; }
