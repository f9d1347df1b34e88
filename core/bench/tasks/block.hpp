/// The keys of groups on blocks: calls, stores or sums of `element` bytes per operation, in any order.
#pragma once
#include "bench/streams.hpp"

namespace tierscope {

struct Blocks final : WorkOf<Blocks> {
  std::uint64_t footprint = 0;
  std::uint64_t skew = 0;  // bytes by which each operand is shifted relative to the one before
  std::uint64_t element = 64;
  std::uint64_t access = 0;    // 0: the whole element
  std::uint64_t locality = 0;  // region of order=once; 0: the whole slice
  std::optional<kernels::Fence> fence;
  std::optional<kernels::Order> order;
  static std::span<const Key<Blocks>> table();
};

/// The order of the plan, or the default of the kernel. @pre the group's work is Blocks
kernels::Order order_of(const Group& group);
kernels::Fence fence_of(const Group& group);
/// Blocks that are visited before the next region.
std::uint64_t region_of(const Group& group, const Member& member);
/// Bytes of each block that are used.
std::uint64_t touched_of(const Group& group);
/// Return the first draw of a member: each thread draws blocks of its own.
std::uint64_t first_draw(const Group& group, std::size_t member);

/// The largest relative difference of the results of the blocks; in bench/tasks/block_check.cpp.
double verify_blocks(const Group& group, const Member& member);
/// In bench/tasks/block_stream.cpp.
std::unique_ptr<Stream> block_stream(const Group& group, std::size_t member, const Bases& bases);

}  // namespace tierscope
