/// The keys of groups on hops: dependent loads, each of a node that is `element` bytes after the one before.
#pragma once
#include "bench/cycle.hpp"
#include "bench/group.hpp"

namespace tierscope {

struct Hops final : WorkOf<Hops> {
  std::uint64_t footprint = 0;
  std::uint64_t element = 64;
  std::uint64_t locality = 0;           // 0: the whole slice
  std::uint64_t spaced = 0;             // bytes between the nodes of a window; 0: an element
  std::optional<kernels::Order> order;  // of windows; random if it is not set
  static std::span<const Key<Hops>> table();
  [[nodiscard]] std::uint64_t spacing() const noexcept { return spaced == 0 ? 1 : spaced / element; }
};

/// The cycle through a member's nodes. @pre the group's work is Hops
Cycle cycle_of(const Group& group, const Member& member);

}  // namespace tierscope
