/// What performance events counted in the timed blocks of a group.
#pragma once
#include <cstdint>
#include <vector>

#include "probes/perf.hpp"

namespace tierscope {

/// What is counted, and what counting costs.
struct Counting {
  std::vector<EventFacts> events;    // in the order asked for; not counted where one thread cannot
  std::vector<std::uint64_t> empty;  // what each counted in `empty_blocks` blocks without work
  std::uint64_t empty_blocks = 0;
  double pair_s = 0;  // of one start and stop, the mean over the threads
};

/// Of the members of one group together.
struct Counted {
  std::uint64_t blocks = 0, operations = 0, ticks = 0;  // of the blocks that were counted
  std::vector<EventCount> events;                       // in the order asked for
};

}  // namespace tierscope
