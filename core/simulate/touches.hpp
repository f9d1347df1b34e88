/// Many touches of one CPU through its caches, level by level, without times.
#pragma once
#include "simulate/lineup.hpp"
#include "simulate/memory.hpp"
#include "simulate/pass.hpp"

namespace tierscope::simulate {

/// The numbers of each kind in a list.
struct Kinds {
  std::uint64_t loads, stores, backs;
};

class Touches {
 public:
  /// Return whether a list alone determines what these caches do: none is inclusive, none prefetches, and those of
  /// other CPUs are empty.
  static bool suffice(const Lineup& lineup, unsigned cpu);
  /// Count in `lineup` what the accesses would count one after the other. The memory gets requests for the same lines,
  /// at the time 0, in an order that may differ within a list.
  void run(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below);

 private:
  static constexpr std::size_t LIST = 1024;
  void run_list(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below);
  /// Keep only the touches that may change something, as `Latest` finds them.
  Kinds without_repeats(std::uint64_t sets, std::span<const Touch>& touches);
  /// Pass `touches` through one level, and count what it passes on. `loads`: the touches are only loads.
  Kinds pass(Cache& cache, bool nearest, bool loads, std::span<const Touch>& touches);
  Habit habit_;
  std::vector<Touch> near_, far_;  // the input of a level, its output
};

}  // namespace tierscope::simulate
