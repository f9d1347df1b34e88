/// What groups on lines take of a plan: kernels that go through whole arrays, a line per operand and operation.
#pragma once
#include "bench/work.hpp"

namespace tierscope {

struct Lines final : WorkOf<Lines> {
  std::uint64_t footprint = 0;
  unsigned streams = 1;
  unsigned unroll = 1;
  std::uint64_t prefetch = 0;
  std::uint64_t prefetch_write = 0;
  std::uint64_t interleave = 0;  // 0 or 4096
  std::uint64_t skew = 0;        // bytes by which each operand is shifted against the one before
  static std::span<const Key<Lines>> table();
};

}  // namespace tierscope
