/// A team: one pinned thread per CPU, kept between jobs, started together.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "base/cpuid.hpp"

namespace tierscope {

/// Threads wait asleep between jobs, so an idle team takes no CPU from anybody. No lock makes the members wait for each
/// other when they wake. One caller would wake 256 members one after the other; so it wakes the first of every FAN
/// members, and each of these wakes the rest. A member on a busy CPU delays at most the members of its own fan.
class Team {
 public:
  /// @throws Unsupported if a CPU cannot be pinned to
  explicit Team(std::span<const unsigned> cpus);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();
  [[nodiscard]] std::size_t size() const noexcept { return cpus_.size(); }
  /// Runs job(member) on every member and returns when all are done. The job must not throw.
  void run(const std::function<void(std::size_t)>& job);
  /// The same on some members, in rising order; the others sleep on.
  void run(std::span<const std::size_t> members, const std::function<void(std::size_t)>& job);

 private:
  struct alignas(cpu::LONGEST_LINE) Bed {
    std::atomic<std::uint32_t> called{0};
    std::size_t place = 0;  // in members_, of the job that it is called for
  };
  void serve(std::size_t member, unsigned cpu);
  /// Wakes the member at one place of members_.
  void call(std::size_t place);
  /// Joins every thread; each must be asleep.
  void end();
  std::vector<unsigned> cpus_;
  std::deque<Bed> beds_;  // of each member: waking one wakes no other
  std::span<const std::size_t> members_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  alignas(cpu::LONGEST_LINE) std::atomic<std::uint32_t> busy_{0};
  std::atomic<int> failed_cpu_{-1};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

/// Spins until all have arrived: members leave within a cache-line transfer of each other.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::size_t members) noexcept : members_(members) {}
  void arrive_and_wait() noexcept;

 private:
  std::size_t members_;
  std::atomic<std::size_t> arrived_{0};
  std::atomic<std::size_t> round_{0};
};

}  // namespace tierscope
