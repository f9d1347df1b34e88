/// The keys of groups on lines: kernels that go through whole arrays, a line per operand and operation.
#pragma once
#include "bench/work.hpp"
#include "kernels/kernel.hpp"

namespace tierscope {

struct Group;
struct Member;

struct Lines final : WorkOf<Lines> {
  std::uint64_t footprint = 0;
  unsigned streams = 1;
  unsigned unroll = 1;
  std::uint64_t prefetch = 0;
  std::uint64_t prefetch_write = 0;
  std::uint64_t interleave = 0;  // 0 or 4096
  std::uint64_t skew = 0;        // bytes by which each operand is shifted relative to the one before
  std::uint64_t row = 0;         // bytes of a row of a grid or a matrix; 0: a square, or a cube
  static std::span<const Key<Lines>> table();
};

/// Bytes of a row and of a plane; a line each for kernels that have neither.
struct Extent {
  std::uint64_t row = kernels::LINE, plane = kernels::LINE;
};
/// All members share a grid; each member has its own matrices. @pre the members' slices are known
Extent extent_of(const Group& group);
/// Operations of each member, at most `each`, that fill whole matrices or a table of a power of two. @throws BadPlan
std::uint64_t whole_share(const Group& group, std::uint64_t each);
/// @throws BadPlan for a row that the kernel does not take
void check_row(const Group& group);

}  // namespace tierscope
