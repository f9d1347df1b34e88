/// The loop variants of a kernel in this build: the scalar ones have fewer than those of vectors.
#pragma once
#include <algorithm>
#include <string>

#include "bench/group.hpp"

namespace tierscope::tests {

/// Return "streams=N" with the most streams that this plan's kernel has where all else is as by default.
inline std::string most_streams(const GroupPlan& plan) {
  unsigned most = 1;
  for (const auto& variant : make_group(plan).entry->table()) {
    const auto& [streams, unroll, paged, prefetch, prefetch_write] = variant.shape;
    if (unroll == 1 && !paged && !prefetch && !prefetch_write) most = std::max(most, streams);
  }
  return "streams=" + std::to_string(most);
}

}  // namespace tierscope::tests
