/// The interface that a session controls: groups that are prepared, measured in batches and checked. On real memory it
/// is the Bench, on simulated memory the Simulation; the plan is the same.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/counted.hpp"
#include "bench/group.hpp"
#include "bench/samples.hpp"

namespace tierscope {

class Stage {
 public:
  virtual ~Stage() = default;
  /// As many groups as plans. @throws BadPlan, Unsupported, SystemError, Fault; the stage is empty then
  virtual void prepare(const std::vector<GroupPlan>& plans) = 0;
  /// Sets another walk for one group. @throws as `prepare`
  virtual void set(std::size_t group, const GroupPlan& plan) = 0;
  /// Runs one batch of some groups, of all if none is named; returns the number of blocks appended.
  /// @throws BadPlan, Fault
  virtual std::uint64_t measure(double seconds, double block_s, const std::vector<unsigned>& groups,
                                SampleFile* samples) = 0;
  /// Returns for each group the largest relative difference from what its descriptors state. @throws Fault
  virtual std::vector<double> check() = 0;
  [[nodiscard]] virtual const std::vector<Group>& groups() const noexcept = 0;
  [[nodiscard]] virtual const Store& store(std::size_t group) const = 0;
  [[nodiscard]] virtual std::uint32_t batch() const noexcept = 0;
  /// Counts performance events in the timed blocks of all batches from now on, by groups of names; none: stops.
  /// @throws BadPlan for an unknown name; Unsupported where nothing can be counted
  virtual Counting count(const std::vector<std::vector<std::string>>&) {
    throw Unsupported("a simulated machine counts by itself, and no performance events; `check` reports its counts");
  }
  /// Counts since then, of each group.
  [[nodiscard]] virtual std::vector<Counted> counted() const { return {}; }
  /// Counts of the whole machine over all batches since then: its blocks are the batches.
  [[nodiscard]] virtual Counted counted_of_machine() const { return {}; }
  /// Events since `prepare` that only a simulation can count, by name.
  [[nodiscard]] virtual std::map<std::string, std::uint64_t> counters() const { return {}; }
};

}  // namespace tierscope
