/// Many touches of one CPU through its caches, level by level, where nobody asks when.
#pragma once
#include "simulate/lineup.hpp"
#include "simulate/memory.hpp"
#include "simulate/pass.hpp"

namespace tierscope::simulate {

/// How many of a list are what.
struct Kinds {
  std::uint64_t loads, stores, backs;
};

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
  /// Leaves only those that may change something, as `Latest` finds them.
  Kinds without_repeats(std::uint64_t sets, std::span<const Touch>& touches);
  /// Through one level, from `touches` to what it passes on, which is counted. `loads`: they are nothing else.
  Kinds pass(Cache& cache, bool nearest, bool loads, std::span<const Touch>& touches);
  Habit habit_;
  std::vector<Touch> near_, far_;  // what comes to a level, what it passes on
};

}  // namespace tierscope::simulate
