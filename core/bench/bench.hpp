/// The bench: owns memory and teams, and runs batches of blocks. It decides nothing; a plan or Python decides.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/fault.hpp"
#include "bench/blocks.hpp"
#include "bench/group.hpp"
#include "bench/stage.hpp"
#include "team/team.hpp"

namespace tierscope {

class Bench final : public Stage {
 public:
  /// Maps, touches, fills and verifies the memory of all groups. Memory of the last call is used again where it
  /// fits. @throws BadPlan, Unsupported, SystemError, Fault; the bench is empty then
  void prepare(const std::vector<GroupPlan>& plans) override;
  /// Sets another walk, over the same memory where it fits. @throws BadPlan for keys that do not fit together:
  /// nothing changes then; BadPlan, Unsupported, SystemError if the memory is not available: the bench is empty then
  void set(std::size_t group, const GroupPlan& plan) override;
  /// Runs one batch of some groups, of all if none is named. They start together and run for `seconds`, or until the
  /// tasks among them are done. Returns the number of blocks appended. @throws BadPlan if they share a CPU that is not
  /// declared shared, or if a victim's task failed; Fault if memory is not accessible: the bench is empty then
  std::uint64_t measure(double seconds, double block_s, const std::vector<unsigned>& groups,
                        SampleFile* samples) override;
  /// Returns for each group the largest relative difference from scalar code. @throws Fault; the bench is empty then
  std::vector<double> check() override;
  Counting count(const std::vector<std::vector<std::string>>& events) override;
  [[nodiscard]] std::vector<Counted> counted() const override;
  [[nodiscard]] Counted counted_of_machine() const override;
  [[nodiscard]] const std::vector<Group>& groups() const noexcept override { return groups_; }
  [[nodiscard]] const Store& store(std::size_t group) const override { return stores_[group]; }
  [[nodiscard]] std::uint32_t batch() const noexcept override { return batch_; }

 private:
  void map(std::size_t group);
  void fill(std::size_t group);
  void fill(std::size_t group, Arena& arena);
  void inspect(std::size_t group, Arena& arena);
  void make_victims(std::size_t group);
  [[nodiscard]] std::unique_ptr<Victim> make_on(std::size_t seat, const std::shared_ptr<KeyedTeam>& team);
  [[nodiscard]] Counting counting() const;
  void make_team();
  /// Reads the pages of a member that has rested since its last batch.
  void wake(std::size_t seat) const noexcept;
  /// Seats of the members of these groups, all if none is named. @throws BadPlan
  [[nodiscard]] std::vector<std::size_t> seats_of(const std::vector<unsigned>& groups) const;
  /// Adds up the times of operations on structures over all members of a group.
  void keep_timings(const std::vector<std::size_t>& seats);
  void refuse_failures(const std::vector<std::size_t>& seats) const;
  [[nodiscard]] std::vector<std::size_t> seats_in(std::size_t group) const;
  /// Runs a job on some seats; what touches memory runs in the watch. @throws Fault, as refuse_fault
  void run_watched(std::span<const std::size_t> seats, const std::function<void(std::size_t, fault::Watch&)>& job);
  /// Releases the memory in which the fault occurred. @throws Fault
  [[noreturn]] void refuse_fault(std::size_t group, const fault::Watch& watch);
  [[noreturn]] void refuse_fault(std::size_t group, const Arena& arena, const std::string& why);
  struct Seat {
    std::size_t group, member;
  };
  std::vector<Group> groups_;
  std::vector<Store> stores_;
  std::vector<Seat> seats_;                               // one per thread of the team
  std::vector<std::unique_ptr<EventCounters>> counters_;  // of each seat; empty: no events are counted
  std::unique_ptr<EventCounters> machine_counters_;       // of events that no thread has to itself; null: none
  std::vector<unsigned> cpus_;
  std::unique_ptr<Team> team_;
  std::uint32_t batch_ = 0;
};

}  // namespace tierscope
