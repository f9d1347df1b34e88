/// Many touches of one CPU through its caches, level by level, where nobody asks when.
#pragma once
#include "simulate/lineup.hpp"
#include "simulate/memory.hpp"
#include "simulate/pass.hpp"

namespace tierscope::simulate {

class Touches {
 public:
  /// Whether a list alone says what these caches do: none is inclusive, none fetches ahead, and those of other CPUs are
  /// empty.
  static bool suffice(const Lineup& lineup, unsigned cpu);
  /// Counts in `lineup` what accesses one after the other would; the memory is asked for the same lines, at the time 0,
  /// in an order that may differ within a list.
  void run(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below);

 private:
  static constexpr std::size_t LIST = 1024;
  void run_list(Lineup& lineup, unsigned cpu, std::span<const Touch> touches, Memory& below);
  Habit habit_;
  std::vector<Touch> near_, far_;  // what comes to a level, what it passes on
};

}  // namespace tierscope::simulate
