/// Groups on one simulated machine: the same plan, the same blocks, and a clock that is only counted. One loop over all
/// threads executes accesses in the order in which they may start, so that threads meet in the queues of the memory as
/// they would on hardware.
/// Blocks end at the first operation after their time. Before the first batch each group walks twice what caches and
/// buffers can contain, so that nothing is cold; `wear` and all other state last until the next `prepare`.
/// Structures run whole rounds, one group of them at a time, after a fill and a round that are not timed.
/// Blind to: the effects of a library, microcode or the operating system on memory.
#pragma once
#include <memory>

#include "bench/simulated.hpp"
#include "bench/stage.hpp"
#include "simulate/machine.hpp"

namespace tierscope {

class Simulation final : public Stage {
 public:
  Simulation();
  ~Simulation() override;
  Simulation& operator=(Simulation&&) noexcept;
  void prepare(const std::vector<GroupPlan>& plans) override;
  void set(std::size_t group, const GroupPlan& plan) override;
  std::uint64_t measure(double seconds, double block_s, const std::vector<unsigned>& groups,
                        SampleFile* samples) override;
  std::vector<double> check() override;
  [[nodiscard]] const std::vector<Group>& groups() const noexcept override { return groups_; }
  [[nodiscard]] const Store& store(std::size_t group) const override { return stores_[group]; }
  [[nodiscard]] std::uint32_t batch() const noexcept override { return course_.batch; }
  [[nodiscard]] std::map<std::string, std::uint64_t> counters() const override;

 private:
  void add(std::size_t group, const GroupPlan& plan);
  void place(std::size_t group);
  /// Takes memory for an arena; returns its simulated address.
  std::uint64_t take(Arena& arena, const std::string& where, std::uint64_t needed);
  [[nodiscard]] Block form_of(std::size_t group, std::size_t member) const;
  /// The groups that are named, all if none is. @throws BadPlan
  [[nodiscard]] std::vector<std::size_t> named(const std::vector<unsigned>& groups) const;
  void run(const std::vector<std::size_t>& groups, simulate::Time end, simulate::Time length);

  std::string word_;  // of the machine
  std::unique_ptr<simulate::Machine> machine_;
  std::vector<std::uint64_t> taken_;  // bytes of each of its memories
  std::vector<Group> groups_;
  std::vector<Store> stores_;
  std::vector<std::unique_ptr<SimulatedGroup>> simulated_;  // of each group
  std::vector<bool> warm_;
  Course course_;
};

}  // namespace tierscope
