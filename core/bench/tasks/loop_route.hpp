/// The route of the chains of a loop: the place of each hop, in closed form, so that any part of a route can be filled,
/// simulated and checked by itself. A line has `element` bytes.
/// Plain: each chain goes over lines of its own in a random cycle. The further lines of a node are in areas of their
/// own, at the same offset, so that no two of them are near each other.
/// Windows: one chain goes from window to window in random order. A window is a range of lines of a page of 4 KiB;
/// windows of a page do not overlap. The chain visits `train` lines of a window, `stride` apart, then one line `ahead`
/// of the last. The time of that line shows what the prefetchers made of the visits.
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
    return visits_ == 0 ? (chain * hops_ + orders_[chain].at(hop)) * its_.element : in_window(hop);
  }
  /// Bytes from a node to its first further line, and from that to the next.
  [[nodiscard]] std::uint64_t distance() const noexcept { return distance_; }
  /// Lines that are loaded before a line comes again.
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }

 private:
  [[nodiscard]] std::uint64_t in_window(std::uint64_t hop) const noexcept;
  Loops its_;
  std::uint64_t hops_ = 0, distance_ = 0, lines_ = 0;
  std::uint64_t visits_ = 0, page_lines_ = 0, per_page_ = 0, span_ = 0, pages_ = 0;  // of windows
  std::vector<Permutation> orders_;                                                  // of each chain; of the windows
};

}  // namespace tierscope
