// The race detector. The compiler, told -fsanitize=thread, calls __tsan_readN and __tsan_writeN at every access; these
// are defined here instead of in its own library, which knows nothing of our threads.
//
// Two accesses to one element by different threads race unless both read, both are atomic, or they are of one block
// with a barrier between them (or of one warp with a __syncwarp between them).
#pragma once
#include "block.h"

namespace sim {

constexpr int SHARED = -1;

// Memory that is watched: an argument of the kernel, or shared memory.
struct Range {
  uintptr_t begin, end;
  int argument;
  unsigned element;  // bytes
};
inline Range watched[64];  // no vector: its members would be watched in turn
inline size_t watched_count = 0;
inline void watch(const void* begin, size_t bytes, int argument, unsigned element) {
  if (bytes) watched[watched_count++] = {uintptr_t(begin), uintptr_t(begin) + bytes, argument, element};
}
inline void* raced_at[2];  // return addresses of the two accesses

inline volatile int atomics = 0;  // volatile: an optimiser sees no reader between ++ and --
struct Atomic {
  Atomic() { atomics++; }
  ~Atomic() { atomics--; }
};

#ifdef __SANITIZE_THREAD__
struct Access {
  unsigned launch = 0, block, thread, barriers, warp_barriers;
  bool atomic;
  void* address;
};
struct History {
  Access write, read, earlier_read;  // two readers are enough to find one that is not the writer
};
inline std::vector<std::vector<History>> histories;  // of each watched range, an entry an element
inline unsigned launches = 0, block_number = 0;
inline bool checking = false;

#define SIM_UNWATCHED __attribute__((no_sanitize("thread"), noinline))

SIM_UNWATCHED inline bool clash(const Access& before, const Access& now, bool shared) {
  if (before.launch != now.launch || (before.atomic && now.atomic)) return false;
  if (before.block != now.block) return !shared;  // every block has shared memory of its own
  if (before.thread == now.thread || before.barriers != now.barriers) return false;
  return before.thread / 32 != now.thread / 32 || before.warp_barriers == now.warp_barriers;
}

SIM_UNWATCHED inline void report(const Range& range, size_t element, const Access& before, const Access& now) {
  raced_at[0] = before.address;
  raced_at[1] = now.address;
  char what[32] = "shared memory";
  if (range.argument != SHARED) snprintf(what, sizeof what, "argument %d", range.argument);
  snprintf(error, sizeof error, "race on element %zu of %s: block %u thread %u and block %u thread %u", element, what,
           before.block, before.thread, now.block, now.thread);
}

SIM_UNWATCHED inline void look(History& history, const Range& range, size_t element, const Access& now, bool writes) {
  const bool shared = range.argument == SHARED;
  for (const Access* before : {&history.write, &history.read, &history.earlier_read}) {
    if (!writes && before != &history.write) break;
    if (clash(*before, now, shared)) return report(range, element, *before, now);
  }
  if (writes) {
    history.write = now;
  } else {
    const Access& last = history.read;
    const bool again = last.launch == now.launch && last.block == now.block && last.thread == now.thread;
    if (!again) history.earlier_read = last;
    history.read = now;
  }
}

SIM_UNWATCHED inline void accessed(void* pointer, size_t bytes, bool writes, void* from) {
  if (checking || !self || self->state != RUNS || error[0]) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  size_t r = 0;
  while (r < watched_count && (address < watched[r].begin || address >= watched[r].end)) r++;
  if (r == watched_count) return;
  checking = true;  // what is called below may be watched too
  const Range& range = watched[r];
  const Access now{launches, block_number, self->number, self->barriers, self->warp_barriers, atomics > 0, from};
  const size_t offset = address - range.begin, last = (offset + bytes - 1) / range.element;
  for (size_t e = offset / range.element; e <= last && e < histories[r].size() && !error[0]; e++)
    look(histories[r][e], range, e, now, writes);
  checking = false;
}

inline void begin_launch() {
  launches++;
  histories.resize(std::max(histories.size(), watched_count));
  for (size_t r = 0; r < watched_count; r++)
    histories[r].resize((watched[r].end - watched[r].begin + watched[r].element - 1) / watched[r].element);
}
inline void begin_block(unsigned number) { block_number = number; }
#else
inline void begin_launch() {}
inline void begin_block(unsigned) {}
#endif

}  // namespace sim

#ifdef __SANITIZE_THREAD__
#define SIM_CALLBACK(name, bytes, writes)                                              \
  extern "C" __attribute__((used, no_sanitize("thread"))) void name(void* pointer) {   \
    sim::accessed(pointer, bytes, writes, __builtin_return_address(0));                \
  }
#define SIM_CALLBACKS(bytes)                             \
  SIM_CALLBACK(__tsan_read##bytes, bytes, false)         \
  SIM_CALLBACK(__tsan_write##bytes, bytes, true)         \
  SIM_CALLBACK(__tsan_unaligned_read##bytes, bytes, false) \
  SIM_CALLBACK(__tsan_unaligned_write##bytes, bytes, true)
SIM_CALLBACKS(1)
SIM_CALLBACKS(2)
SIM_CALLBACKS(4)
SIM_CALLBACKS(8)
SIM_CALLBACKS(16)
#define SIM_PLAIN extern "C" __attribute__((used, no_sanitize("thread"))) void
SIM_PLAIN __tsan_init() {}
SIM_PLAIN __tsan_func_entry(void*) {}
SIM_PLAIN __tsan_func_exit() {}
SIM_PLAIN __tsan_vptr_update(void**, void*) {}
SIM_PLAIN __tsan_vptr_read(void**) {}
SIM_PLAIN __tsan_read_range(void* pointer, size_t bytes) {
  sim::accessed(pointer, bytes, false, __builtin_return_address(0));
}
SIM_PLAIN __tsan_write_range(void* pointer, size_t bytes) {
  sim::accessed(pointer, bytes, true, __builtin_return_address(0));
}
#endif
