/// The keys of groups on loops of much code.
#pragma once
#include "bench/group.hpp"
#include "loops/walk.hpp"

namespace tierscope {

struct CodeLoops final : WorkOf<CodeLoops> {
  std::uint64_t footprint = 0;  // bytes of code
  std::uint64_t straight = 1;   // lines of a run
  std::uint64_t jumps = 1;      // runs in a line
  static std::span<const Key<CodeLoops>> table();
};

/// The code of a group; all its members run the same.
loops::Walk walk_of(const Group& group);

}  // namespace tierscope
