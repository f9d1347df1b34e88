#include "team/team.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/syscall.hpp"

namespace tierscope {

namespace {

constexpr std::size_t FAN = 16;  // the square root of 256 members: nobody wakes more than 16 + 15 of them

[[noreturn]] void refuse(unsigned cpu) {
  std::string allowed;
  for (const unsigned each : sys::allowed_cpus()) allowed += (allowed.empty() ? "" : ",") + std::to_string(each);
  throw Unsupported("cannot pin a thread to CPU " + std::to_string(cpu) + "; this process may use " + allowed);
}

}  // namespace

/// The mask of the process is somebody's wish (taskset, Slurm), though the system would let a thread leave it.
Team::Team(std::span<const unsigned> cpus) : cpus_(cpus.begin(), cpus.end()), beds_(cpus.size()) {
  const auto allowed = sys::allowed_cpus();
  for (const unsigned cpu : cpus_)
    if (std::ranges::find(allowed, cpu) == allowed.end()) refuse(cpu);
  try {
    for (std::size_t member = 0; member < cpus_.size(); ++member)
      threads_.emplace_back([this, member] { serve(member, cpus_[member]); });
  } catch (const std::system_error& error) {
    end();
    throw Unsupported("cannot start " + std::to_string(cpus_.size()) + " threads: " + error.what() +
                      "; raise `ulimit -u` or pids.max of the control group, or ask for fewer CPUs");
  }
  run([](std::size_t) {});  // every member has pinned itself by the end of its first job
  if (failed_cpu_ < 0) return;
  end();
  refuse(static_cast<unsigned>(failed_cpu_.load()));
}

Team::~Team() { end(); }

void Team::end() {
  stop_ = true;
  for (auto& bed : beds_) {
    bed.called = 1;
    sys::wake_one(bed.called);
  }
  for (auto& thread : threads_) thread.join();
}

void Team::run(const std::function<void(std::size_t)>& job) {
  std::vector<std::size_t> all(cpus_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  run(all, job);
}

void Team::run(std::span<const std::size_t> members, const std::function<void(std::size_t)>& job) {
  members_ = members;
  job_ = &job;
  busy_ = static_cast<std::uint32_t>(members.size());
  for (std::size_t place = 0; place < members_.size(); place += FAN) call(place);
  for (auto busy = busy_.load(); busy != 0; busy = busy_.load()) sys::sleep_on(busy_, busy);
}

void Team::call(std::size_t place) {
  auto& bed = beds_[members_[place]];
  bed.place = place;
  bed.called = 1;
  sys::wake_one(bed.called);
}

void Team::serve(std::size_t member, unsigned cpu) {
  if (sys::pin(cpu) != 0) failed_cpu_ = static_cast<int>(cpu);
  auto& bed = beds_[member];
  for (;;) {
    while (bed.called.exchange(0) == 0) sys::sleep_on(bed.called, 0);
    if (stop_) return;
    if (bed.place % FAN == 0)
      for (auto next = bed.place + 1; next < std::min(bed.place + FAN, members_.size()); ++next) call(next);
    (*job_)(member);
    if (--busy_ == 0) sys::wake_one(busy_);
  }
}

/// Yields after a while: with more members than CPUs the last one must get a CPU to arrive at all.
void SpinBarrier::arrive_and_wait() noexcept {
  const auto round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  for (unsigned spins = 0; round_.load(std::memory_order_acquire) == round; ++spins)
    if (spins > 100'000) sched_yield();
}

}  // namespace tierscope
