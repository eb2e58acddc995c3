// Put in front of the text of a .cu file, this lets a C++ compiler run its kernels on the CPU, for tests.
//
// Threads of a block take turns at barriers and warp operations, so one run shows one order of threads; launch.h can
// reverse or shuffle it. Stricter than a card: divergent barriers, lanes that left before a warp operation, wrong
// sizes of arguments and too large launches are errors, and shared memory starts as NaN in every block.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "block.h"
#include "launch.h"
#include "races.h"
#include "warp.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __constant__ static
#define __shared__ static __attribute__((section("sim_shared")))

#define threadIdx (sim::self->index)
#define blockIdx (sim::block_index)
#define blockDim (sim::block_size)
#define gridDim (sim::grid_size)
#define warpSize 32

using sim::dim3;
using sim::uint3;
using std::exp;
using std::fma;
using std::log;
using std::max;
using std::min;
using std::sqrt;

struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };

template <class T> T __ldg(const T* address) { return *address; }

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
inline int __clz(int word) { return word ? __builtin_clz(word) : 32; }
inline int __ffs(int word) { return __builtin_ffs(word); }

#define __syncthreads() sim::wait_for_block(__LINE__)
#define __syncwarp(...) sim::sync_warp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(mask, value, lane) sim::exchange(mask, value, (lane) & 31, __LINE__)
#define __shfl_down_sync(mask, value, distance) sim::exchange(mask, value, sim::lane() + int(distance), __LINE__)
#define __shfl_up_sync(mask, value, distance) sim::exchange(mask, value, sim::lane() - int(distance), __LINE__)
#define __shfl_xor_sync(mask, value, bits) sim::exchange(mask, value, sim::lane() ^ int(bits), __LINE__)
#define __ballot_sync(mask, predicate) sim::ballot(mask, predicate, __LINE__)
#define __any_sync(mask, predicate) (sim::ballot(mask, predicate, __LINE__) != 0)
#define __all_sync(mask, predicate) (sim::ballot(mask, !(predicate), __LINE__) == 0)

inline void __threadfence() {}
inline void __threadfence_block() {}

#define SIM_ATOMIC(name, result)                \
  template <class T> T name(T* address, T value) { \
    sim::Atomic here;                           \
    T old = *address;                           \
    *address = (result);                        \
    return old;                                 \
  }
SIM_ATOMIC(atomicAdd, old + value)
SIM_ATOMIC(atomicSub, old - value)
SIM_ATOMIC(atomicMax, old > value ? old : value)
SIM_ATOMIC(atomicMin, old < value ? old : value)
SIM_ATOMIC(atomicExch, value)
SIM_ATOMIC(atomicAnd, old & value)
SIM_ATOMIC(atomicOr, old | value)
SIM_ATOMIC(atomicXor, old ^ value)
#undef SIM_ATOMIC

template <class T> T atomicCAS(T* address, T compare, T value) {
  sim::Atomic here;
  T old = *address;
  if (old == compare) *address = value;
  return old;
}
