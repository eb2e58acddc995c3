// Launches a kernel block by block, and the doors through which the tests' Python code calls in.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "races.h"
#include "warp.h"

namespace sim {

enum Order { FORWARD, REVERSED, SHUFFLED };
inline int turns = FORWARD;
inline unsigned seed = 0;

constexpr size_t MOST_THREADS = 1024, MOST_SHARED = 48 << 10;

// Steele, Lea and Flood's SplitMix; the standard library's generators take longer to compile than a kernel does.
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
};

inline std::vector<unsigned> in_order(size_t size, Random& random) {
  std::vector<unsigned> numbers(size);
  for (size_t i = 0; i < size; i++) numbers[i] = i;
  if (turns == REVERSED) std::reverse(numbers.begin(), numbers.end());
  for (size_t i = size; turns == SHUFFLED && i > 1; i--) std::swap(numbers[i - 1], numbers[random.next() % i]);
  return numbers;
}

inline uint3 position(unsigned number, const dim3& size) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

template <class... A, size_t... I>
void call(void (*function)(A...), void** arguments, std::index_sequence<I...>) {
  function(*static_cast<std::remove_cv_t<A>*>(arguments[I])...);
}

template <class... A> bool sizes_fit(const unsigned* sizes, int given) {
  const size_t wanted[] = {sizeof(A)..., 0};
  if (given != int(sizeof...(A))) fail("the kernel takes %d arguments; got %d", sizeof...(A), given);
  for (int i = 0; i < given && !error[0]; i++)
    if (sizes[i] != wanted[i]) fail("argument %d has the wrong size, %d bytes", i, sizes[i]);
  return !error[0];
}

// Run a kernel; return 0, or 1 if it failed. `shared` is the size of its dynamic shared memory.
template <class... A>
int launch(void (*function)(A...), const unsigned* grid, const unsigned* block, unsigned shared, void** arguments,
           const unsigned* sizes, int given) {
  error[0] = 0;
  raced_at[0] = raced_at[1] = nullptr;
  if (!sizes_fit<A...>(sizes, given)) return 1;
  grid_size = dim3(grid[0], grid[1], grid[2]);
  block_size = dim3(block[0], block[1], block[2]);
  const size_t size = size_t(block[0]) * block[1] * block[2];
  if (size > MOST_THREADS || shared > MOST_SHARED) {
    fail("the launch is too large: %d threads, %d bytes of shared memory", size, shared);
    return 1;
  }
  dynamic_shared.assign(shared, 0);
  slots.assign(2 * size, 0);
  threads.assign(size, Thread{});
  for (size_t i = 0; i < size; i++) threads[i].index = position(threads[i].number = i, block_size);
  watch(dynamic_shared.data(), shared, SHARED, 1);
  watch(__start_sim_shared, __stop_sim_shared - __start_sim_shared, SHARED, 1);
  begin_launch();
  const auto body = [=] { call(function, arguments, std::index_sequence_for<A...>{}); };
  kernel = [](const void* context) { (*static_cast<decltype(body)*>(context))(); };
  kernel_context = &body;
  Random random{seed};
  for (unsigned number : in_order(size_t(grid[0]) * grid[1] * grid[2], random)) {
    block_index = position(number, grid_size);
    order = in_order(size, random);
    begin_block(number);
    run_block();
    if (error[0]) return 1;
  }
  return 0;
}

}  // namespace sim

#define SIM_DOOR extern "C" __attribute__((used, visibility("default")))

SIM_DOOR const char* sim_error() { return sim::error; }
SIM_DOOR void sim_turns(int order, unsigned seed) {
  sim::turns = order;
  sim::seed = seed;
}
SIM_DOOR void sim_watch_nothing() { sim::watched_count = 0; }
SIM_DOOR void sim_watch(int argument, const void* begin, size_t bytes, unsigned element) {
  sim::watch(begin, bytes, argument, element);
}
SIM_DOOR void sim_raced_at(void** addresses) { std::copy(sim::raced_at, sim::raced_at + 2, addresses); }

// The door of one kernel; written for each after the text of the source.
#define SIM_KERNEL(symbol, kernel)                                                                                  \
  SIM_DOOR int sim_launch_##symbol(const unsigned* grid, const unsigned* block, unsigned shared, void** arguments, \
                                   const unsigned* sizes, int given) {                                             \
    return sim::launch(kernel, grid, block, shared, arguments, sizes, given);                                      \
  }
