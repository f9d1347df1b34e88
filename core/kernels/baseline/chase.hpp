/// Chase: each load returns the address of the next, so one access is in flight at a time, and its time is the latency.
/// The cycle visits every node once in an order that no prefetcher follows (core/bench/tasks/hop.cpp builds it).
/// Blind to: what out-of-order cores overlap; on a cache that is not LRU, a cycle slightly larger than the cache still
/// hits, which the `probe` kernel shows.
/// Source: L. McVoy, C. Staelin, "lmbench: Portable Tools for Performance Analysis", USENIX ATC 1996.
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::kernels::chase {
inline constexpr KernelInfo info{.name = "chase",
                                 .summary = "dependent loads along one random cycle",
                                 .source =
                                     "L. McVoy, C. Staelin, \"lmbench: Portable Tools for Performance "
                                     "Analysis\", USENIX ATC 1996",
                                 .check = Check::recomputed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .content = Content::cycle,
                                 .operation = "hop",
                                 .orders = true,
                                 .program_bytes = 8,
                                 .bus_bytes = 64};
inline constexpr std::string_view isa = "scalar";

/// `cursor` is the address of the node under the needle.
inline std::uint64_t pass(Pass& pass) noexcept {
  auto at = pass.cursor;
  std::uint64_t left = pass.repeats;
  const auto hop = [&at] { at = *reinterpret_cast<const volatile std::uint64_t*>(at); };
  for (; left >= 8; left -= 8) {
    hop(), hop(), hop(), hop();
    hop(), hop(), hop(), hop();
  }
  for (; left > 0; --left) hop();
  pass.cursor = at;
  return 0;
}
/// The cursor after n hops is known in closed form; bench/tasks/hop.cpp compares it.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::chase
