/// Where the chains of a loop lead: the place of each of their hops, in closed form, so that any part of a route can be
/// filled, simulated and checked by itself.
///   plain    each chain goes over lines of its own in a random cycle; lines beside a node lie in areas of their own,
///            at the same place, so that no two of them are near each other
///   windows  one chain goes from window to window in random order. A window is some lines of a page of 4 KiB; windows
///            of a page do not overlap. Of a window `train` lines are visited, `stride` apart, then one `ahead` of the
///            last: what the prefetchers made of the visits is in the time of that one.
/// Source of windows: D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem
/// Multiprocessor System", PACT 2009 (placing lines, then timing accesses); how prefetchers are trained by pages:
/// Intel, "64 and IA-32 Architectures Optimization Reference Manual", 2023.
#pragma once
#include "base/permutation.hpp"
#include "bench/tasks/loop.hpp"

namespace tierscope {

class Route {
 public:
  /// bytes: of one member. @throws BadPlan where nothing fits
  Route(const Loops& its, std::uint64_t bytes, std::uint64_t seed);
  /// Hops of a chain until it is at its first place again.
  [[nodiscard]] std::uint64_t hops() const noexcept { return hops_; }
  /// Bytes from the member's first one to the place of a hop; hop < hops().
  [[nodiscard]] std::uint64_t at(std::uint64_t chain, std::uint64_t hop) const noexcept {
    return visits_ == 0 ? chain * hops_ * kernels::LINE + orders_[chain].at(hop) * kernels::LINE : in_window(hop);
  }
  /// Bytes from a node to its first line beside, and from that to the next.
  [[nodiscard]] std::uint64_t distance() const noexcept { return distance_; }
  /// Lines that are loaded from before a line comes again.
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }

 private:
  [[nodiscard]] std::uint64_t in_window(std::uint64_t hop) const noexcept;
  Loops its_;
  std::uint64_t hops_ = 0, distance_ = 0, lines_ = 0;
  std::uint64_t visits_ = 0, per_page_ = 0, span_ = 0, pages_ = 0;  // of windows
  std::vector<Permutation> orders_;                                 // of each chain; of the windows
};

}  // namespace tierscope
