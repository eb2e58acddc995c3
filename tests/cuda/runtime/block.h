// The threads of one block, and the barrier at which they wait for each other.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "fiber.h"

extern "C" char __start_sim_shared[] __attribute__((weak)), __stop_sim_shared[] __attribute__((weak));

namespace sim {

struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

enum State { RUNS, AT_BARRIER, IN_WARP_OPERATION, LEFT };

struct Thread {
  uint3 index;
  unsigned number;  // within the block
  State state;
  int line;       // where it waits
  unsigned mask;  // lanes that it waits for in a warp operation
  unsigned operations, barriers, warp_barriers;  // how many it has passed
  Fiber* fiber;
};

inline dim3 grid_size, block_size;
inline uint3 block_index;
inline std::vector<Thread> threads;
inline std::vector<unsigned> order;  // in which the threads take turns
inline std::vector<std::vector<unsigned>> warps;  // the same, warp by warp
inline size_t started;                            // how many of them have begun
inline Thread* self = nullptr;
inline void (*kernel)(const void*);  // runs one thread
inline const void* kernel_context;
inline std::vector<char> dynamic_shared;
inline char error[256];

inline void fail(const char* format, int first = 0, int second = 0) {
  if (!error[0]) snprintf(error, sizeof error, format, first, second);
}

inline void wait(State state, int line, unsigned mask) {
  self->state = state;
  self->line = line;
  self->mask = mask;
  leave();
}

inline void wait_for_block(int line) {
  self->barriers++;
  wait(AT_BARRIER, line, 0);
}

// Run threads that have not begun, one after another, until one of them waits; it keeps the fiber.
inline void start_threads() {
  while (started < order.size()) {
    Thread* thread = self = &threads[order[started++]];
    thread->fiber = running;
    kernel(kernel_context);
    thread->state = LEFT;
  }
  self = nullptr;
  idle.push_back(running);
  leave();
}

inline void resume(Thread& thread) {
  thread.state = RUNS;
  self = &thread;
  enter(thread.fiber);
}

inline void resume_all(const std::vector<unsigned>& waiting) {
  for (unsigned number : waiting)
    if (!error[0]) resume(threads[number]);
}

// Say whether all lanes that the waiting lanes of a warp name have come.
inline bool warp_is_complete(const std::vector<unsigned>& warp) {
  unsigned come = 0, left = 0, named = 0, first = 0;
  for (unsigned number : warp) {
    const Thread& thread = threads[number];
    if (thread.state == LEFT) left |= 1u << number % 32;
    if (thread.state != IN_WARP_OPERATION) continue;
    if (!come) first = number;
    come |= 1u << number % 32;
    named |= thread.mask;
    if (thread.mask != threads[first].mask && thread.mask & threads[first].mask)
      fail("the warp operations in lines %d and %d name different lanes", threads[first].line, thread.line);
  }
  if (named & left) fail("the warp operation in line %d waits for a lane that has left", threads[first].line);
  return come && !(named & ~come) && !error[0];
}

// Let warps whose lanes have all come go on, each alone and as far as it can; return whether there was one.
inline bool pass_warp_operations() {
  bool passed = false;
  for (const std::vector<unsigned>& warp : warps)
    while (!error[0] && warp_is_complete(warp)) {
      passed = true;
      std::vector<unsigned> waiting;
      for (unsigned number : warp)
        if (threads[number].state == IN_WARP_OPERATION) waiting.push_back(number);
      resume_all(waiting);
    }
  return passed;
}

// Let all threads pass the barrier at which they wait.
inline void pass_barrier() {
  for (const Thread& thread : threads)
    if (thread.line != threads[0].line)
      return fail("threads wait at different barriers, lines %d and %d", threads[0].line, thread.line);
  resume_all(order);
}

inline int count(State state) {
  return std::count_if(threads.begin(), threads.end(), [=](const Thread& thread) { return thread.state == state; });
}

inline void poison_shared_memory() {
  if (__start_sim_shared) memset(__start_sim_shared, 0xFF, __stop_sim_shared - __start_sim_shared);
  std::fill(dynamic_shared.begin(), dynamic_shared.end(), char(0xFF));
}

// Run one block to its end or to the first error; what waits then is abandoned.
inline void run_block() {
  const int all = threads.size();
  started = 0;
  warps.assign((all + 31) / 32, {});
  for (unsigned number : order) warps[number / 32].push_back(number);
  for (Thread& thread : threads) {
    thread.state = RUNS;
    thread.operations = thread.barriers = thread.warp_barriers = 0;
  }
  poison_shared_memory();
  while (started < order.size() && !error[0]) enter(fresh_fiber(start_threads));
  while (!error[0] && count(LEFT) < all) {
    if (pass_warp_operations() || error[0]) continue;
    if (count(AT_BARRIER) == all) pass_barrier();
    else fail("deadlock: %d threads wait at a barrier, %d have left", count(AT_BARRIER), count(LEFT));
  }
}

}  // namespace sim
