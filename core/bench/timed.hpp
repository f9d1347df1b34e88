/// The timing of blocks, for each manner of them. The tasks choose a manner and include this file.
#pragma once
#include <algorithm>
#include <utility>

#include "base/syscall.hpp"
#include "bench/blocks.hpp"
#include "bench/task.hpp"
#include "probes/perf.hpp"

namespace tierscope {

/// A block between two reads of both clocks; returns its ticks.
template <class Manner>
std::uint64_t BlockRunner::timed(std::uint16_t flags) noexcept {
  if constexpr (Manner::READIES) {
    Manner::ready(turn_);
    switches_ = sys::context_switches();  // earlier ones belong to no task
  }
  auto* const events = (flags & SIZING) == 0 ? member_.events : nullptr;
  if (events != nullptr) events->start();
  const auto raw_start = raw_nanoseconds();
  const auto start = clock_.now();
  const auto operations = Manner::work(turn_);
  const auto stop = clock_.now();
  const auto raw_s = static_cast<double>(raw_nanoseconds() - raw_start) * 1e-9;
  if (events != nullptr) events->stop(operations, stop - start);
  keep(start, stop, raw_s, operations, flags);
  return stop - start;
}

/// An interruption makes a block longer, never shorter. A block sized by it would be many times too short.
template <class Manner>
std::uint64_t BlockRunner::least_time() noexcept {
  auto least = ~std::uint64_t{0};
  bool interrupted = true;
  for (int timing = 0; timing < 2 || (interrupted && timing < SIZING_TIMINGS); ++timing) {
    least = std::min(least, timed<Manner>(SIZING));
    interrupted = interrupted && (blocks_.back().flags & PREEMPTED) != 0;
  }
  return least;
}

template <class Manner>
void BlockRunner::fit() noexcept {
  if (Manner::WHOLE || group_.plan.per_block > 0) return;
  if (member_.block == 0) member_.block = turn_.granule;
  for (int tries = 0; tries < SIZING_BLOCKS; ++tries) {
    const double took = clock_.seconds(least_time<Manner>()) / batch_.block_s;
    if (took > 0.5 && took < 2) return;
    const auto before = member_.block;
    scale_block(std::clamp(1 / took, 0.01, 16.0));  // small blocks mislead: at most 16 times longer in one step
    Manner::fit(turn_);
    if (member_.block == before) return;
  }
}

template <class Manner>
void BlockRunner::size_as() noexcept {
  if (answers_) {
    member_.block = Manner::ANSWERS;
    while (batch_.sizing.load(std::memory_order_acquire) > 0) Manner::work(turn_);
    return;
  }
  switches_ = sys::context_switches();
  fit<Manner>();
  end_sizing();
}

template <class Manner>
void BlockRunner::run_as() noexcept {
  const auto end = clock_.now() + clock_.ticks(batch_.seconds);
  begin_run();
  const auto goes_on = [&](std::uint64_t now) {
    const bool wanted = now < end && blocks_.size() < blocks_.capacity();
    if (leads_) return Manner::goes_on(turn_, wanted);
    return (answers_ ? batch_.asking : batch_.leading).load(std::memory_order_acquire) > 0;
  };
  std::uint64_t now = 0;
  do {
    timed<Manner>(0);
    now = clock_.now();
    if (now >= steal_due_) mark_steal();
  } while (goes_on(now));
  mark_steal();
  end_leading();
}

/// A task whose blocks are of one manner.
template <class Manner>
class TaskOf : public Task {
 public:
  using Task::Task;
  void size(BlockRunner& runner) const noexcept final { runner.size_as<Manner>(); }
  void run(BlockRunner& runner) const noexcept final { runner.run_as<Manner>(); }
};

}  // namespace tierscope
