// Operations in which the lanes of a warp exchange values.
#pragma once
#include "block.h"

namespace sim {

// Two slots a thread, used in turn: a lane may be one operation ahead of another that has yet to read.
inline std::vector<uint64_t> slots;

inline int lane() { return self->number % 32; }

inline uint64_t* slot_of_lane_0() { return &slots[(self->operations % 2) * threads.size() + self->number / 32 * 32]; }

template <class T> T exchange(unsigned mask, T value, int from, int line) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t* mine = slot_of_lane_0();
  memcpy(&mine[lane()], &value, sizeof value);
  self->operations++;
  wait(IN_WARP_OPERATION, line, mask);
  const bool exists = from >= 0 && from < 32 && mask >> from & 1 && self->number / 32 * 32 + from < threads.size();
  if (exists) memcpy(&value, &mine[from], sizeof value);
  return value;
}

inline unsigned ballot(unsigned mask, bool predicate, int line) {
  uint64_t* mine = slot_of_lane_0();
  mine[lane()] = predicate;
  self->operations++;
  wait(IN_WARP_OPERATION, line, mask);
  unsigned votes = 0;
  for (unsigned other = 0; other < 32; other++)
    if (mask >> other & 1 && self->number / 32 * 32 + other < threads.size() && mine[other]) votes |= 1u << other;
  return votes;
}

inline void sync_warp(int line, unsigned mask = 0xffffffffu) {
  ballot(mask, false, line);
  self->warp_barriers++;
}

}  // namespace sim
