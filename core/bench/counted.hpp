/// Counts of performance events in the timed blocks of a group.
#pragma once
#include <cstdint>
#include <vector>

#include "probes/perf.hpp"

namespace tierscope {

/// The events that are counted, and the cost of counting.
struct Counting {
  std::vector<EventFacts> events;    // in the order of the request; marked as not counted if one thread cannot
  std::vector<std::uint64_t> empty;  // the count of each in `empty_blocks` blocks without work
  std::uint64_t empty_blocks = 0;
  double pair_s = 0;                // of one start and stop, the mean over the threads
  std::vector<EventFacts> machine;  // those of the whole machine, counted over batches
};

/// The sum over the members of one group.
struct Counted {
  std::uint64_t blocks = 0, operations = 0, ticks = 0;  // of the blocks that were counted
  std::vector<EventCount> events;                       // in the order asked for
};

}  // namespace tierscope
