/// Groups on one simulated machine: the same plan, the same blocks, a clock that is only counted. One loop over all
/// threads executes accesses in the order in which they may start, so that threads meet in the queues of the memory as
/// they would have met.
/// Blocks end at the first operation behind their time. Before the first batch each group walks what caches and buffers
/// can hold, twice, so that nothing is cold; `wear` and all other state lasts until the next `prepare`.
/// Structures go through whole rounds, one group of them at a time, behind a fill and a round that are not timed.
/// Blind to: what a library, microcode or the operating system does to memory.
#pragma once
#include <memory>
#include <optional>

#include "bench/keyed_walker.hpp"
#include "bench/stage.hpp"
#include "bench/walker.hpp"
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
  [[nodiscard]] std::uint32_t batch() const noexcept override { return batch_; }
  [[nodiscard]] std::map<std::string, std::uint64_t> counters() const override;

 private:
  void add(std::size_t group, const GroupPlan& plan);
  void place(std::size_t group);
  [[nodiscard]] Block form_of(std::size_t group, std::size_t member) const;
  void warm(std::size_t group);
  void place_keyed(std::size_t group, std::uint64_t base);
  void warm_keyed(std::size_t group);
  /// Rounds until one ends at `end` or later. @throws BadPlan if an operation failed
  void run_rounds(std::size_t group, simulate::Time end);
  void run(const std::vector<Stepper*>& steppers, simulate::Time end, simulate::Time length);
  [[nodiscard]] std::vector<Stepper*> steppers_of(const std::vector<unsigned>& groups);
  /// The group of structures among these, or none. @throws BadPlan if it is not alone
  [[nodiscard]] std::optional<std::size_t> keyed_of(const std::vector<unsigned>& groups) const;

  std::string word_;  // of the machine
  std::unique_ptr<simulate::Machine> machine_;
  std::vector<std::uint64_t> taken_;  // bytes of each of its memories
  std::vector<Group> groups_;
  std::vector<Store> stores_;
  std::vector<std::vector<std::unique_ptr<Walker>>> walkers_;     // of each group's members
  std::vector<std::vector<std::unique_ptr<KeyedWalker>>> keyed_;  // likewise, of structures
  std::vector<bool> warm_;
  simulate::Time now_ = 0;
  std::uint32_t batch_ = 0;
};

}  // namespace tierscope
