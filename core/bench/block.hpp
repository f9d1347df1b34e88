/// One block as the samples file stores it; the same 40 bytes as tierscope.result.BLOCK.
#pragma once
#include <cstdint>

namespace tierscope {

enum Flag : std::uint16_t { SIZING = 1, PREEMPTED = 2, STOLEN = 4, DRIFTED = 8, MIGRATED = 16 };

struct Block {
  std::uint16_t group;
  std::uint16_t thread;
  std::uint16_t cpu;
  std::uint16_t flags;
  std::uint32_t batch;
  std::uint32_t switches;
  std::uint64_t start_ticks;
  std::uint64_t stop_ticks;
  std::uint64_t operations;
};
static_assert(sizeof(Block) == 40);

}  // namespace tierscope
