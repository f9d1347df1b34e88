#include "bench/blocks.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/syscall.hpp"
#include "isa/scalar.hpp"
#include "probes/perf.hpp"

namespace tierscope {
namespace {

using kernels::Operation;

constexpr double STEAL_STEP_S = 0.010;        // the kernel counts steal in steps of 10 ms
constexpr double STEAL_COST = 100;            // a look may take 1/100 of the time between looks
constexpr double DRIFT = 1e-3;                // clocks that differ more over a block: a jump or a moved machine
constexpr double DRIFT_FLOOR_S = 2e-6;        // what an interrupt between two clock reads may take
constexpr int SIZING_BLOCKS = 24;             // doublings from one line to seconds
constexpr int SIZING_TIMINGS = 8;             // of one block; with two rivals each is interrupted in one of three
constexpr std::size_t SPARE_BLOCKS = 4;       // room for blocks four times as short as asked
constexpr std::size_t BESIDE_TASKS = 20'000;  // blocks kept of a member that goes on beside tasks: 20 s of 1 ms
constexpr std::uint64_t ANSWERS = 1U << 14U;  // of the second thread of a hand-over in one block: 1 to 2 ms

/// A delay of `cycles` dependent decrements, one core cycle each where taken branches keep up; the call of a burst
/// comes on top. Source: A. Fog, "Instruction tables", 2022 (latency of DEC, throughput of taken branches).
inline void delay(std::uint64_t cycles) noexcept {
  for (std::uint64_t i = cycles; i > 0; --i) asm volatile("" : "+r"(i));
}

}  // namespace

BlockRunner::BlockRunner(const Group& group, Member& member, unsigned group_number, unsigned thread, Batch& batch)
    : group_(group),
      member_(member),
      batch_(batch),
      clock_(Clock::get()),
      meter_(member.cpu),
      throttle_(group, batch.ceilings),
      answers_(group.operation() == Operation::handover && thread > 0),
      leads_(!answers_ && (!batch.tasks || group.tasks())),
      sizing_(!answers_),
      leading_(leads_),
      asking_(asks()),
      granule_(group.operation() == Operation::line ? group.variant.shape.granule() : 1) {
  form_ = {
      static_cast<std::uint16_t>(group_number), static_cast<std::uint16_t>(thread), 0, 0, batch.number, 0, 0, 0, 0};
  const auto timed = static_cast<std::size_t>(batch.seconds / batch.block_s + 2);
  blocks_.reserve(static_cast<std::size_t>(SIZING_BLOCKS) * SIZING_TIMINGS +
                  (leads_ ? SPARE_BLOCKS * timed : std::max(SPARE_BLOCKS * timed, BESIDE_TASKS)));
  const auto before = clock_.now();
  stolen_ = meter_.read();
  const auto cost = clock_.seconds(clock_.now() - before);
  steal_period_ = clock_.ticks(std::max(STEAL_STEP_S, cost * STEAL_COST));
}

void BlockRunner::size() noexcept {
  if (answers_) {
    member_.block = ANSWERS;
    while (batch_.sizing.load(std::memory_order_acquire) > 0) work();
    return;
  }
  switches_ = sys::context_switches();
  fit();
  end_sizing();
}

void BlockRunner::end_sizing() noexcept {
  if (std::exchange(sizing_, false)) batch_.sizing.fetch_sub(1, std::memory_order_acq_rel);
}

void BlockRunner::end_leading() noexcept {
  if (std::exchange(leading_, false)) batch_.leading.fetch_sub(1, std::memory_order_acq_rel);
  if (std::exchange(asking_, false)) batch_.asking.fetch_sub(1, std::memory_order_acq_rel);
}

void BlockRunner::give_up() noexcept {
  end_sizing();
  end_leading();
}

void BlockRunner::fit() noexcept {
  if (group_.tasks() || group_.plan.per_block > 0) return;
  if (member_.block == 0) member_.block = granule_;
  for (int tries = 0; tries < SIZING_BLOCKS; ++tries) {
    const double took = clock_.seconds(least_time()) / batch_.block_s;
    if (took > 0.5 && took < 2) return;
    const auto before = member_.block;
    fit_block(std::clamp(1 / took, 0.01, 16.0));  // small blocks mislead: at most 16 times longer in one step
    if (member_.block == before) return;
  }
}

/// An interruption makes a block longer, never shorter, and a block sized by it would be many times too short.
std::uint64_t BlockRunner::least_time() noexcept {
  auto least = ~std::uint64_t{0};
  bool interrupted = true;
  for (int timing = 0; timing < 2 || (interrupted && timing < SIZING_TIMINGS); ++timing) {
    least = std::min(least, timed(SIZING));
    interrupted = interrupted && (blocks_.back().flags & PREEMPTED) != 0;
  }
  return least;
}

void BlockRunner::fit_block(double scale) noexcept {
  const auto wanted = static_cast<double>(member_.block) * scale / static_cast<double>(granule_);
  member_.block = std::max<std::uint64_t>(static_cast<std::uint64_t>(std::llround(wanted)), 1) * granule_;
  if (!group_.walks()) return;
  const auto slice = member_.end - member_.begin;
  if (member_.block >= slice) {
    member_.block = member_.block / slice * slice;  // whole passes
    return;
  }
  const auto parts = (slice + member_.block - 1) / member_.block;  // equal parts, so that no block is a stub
  member_.block = ((slice + parts - 1) / parts + granule_ - 1) / granule_ * granule_;
}

void BlockRunner::run() noexcept {
  const auto end = clock_.now() + clock_.ticks(batch_.seconds);
  switches_ = sys::context_switches();
  stolen_ = meter_.read();
  unmarked_ = blocks_.size();
  steal_due_ = clock_.now() + steal_period_;
  const auto goes_on = [&](std::uint64_t now) {
    const bool wanted = now < end && blocks_.size() < blocks_.capacity();
    if (leads_) return group_.tasks() ? member_.victim->goes_on(wanted) : wanted;
    return (answers_ ? batch_.asking : batch_.leading).load(std::memory_order_acquire) > 0;
  };
  std::uint64_t now = 0;
  do {
    timed(0);
    now = clock_.now();
    if (now >= steal_due_) mark_steal();
  } while (goes_on(now));
  mark_steal();
  end_leading();
}

/// A block between two reads of both clocks; returns its ticks.
std::uint64_t BlockRunner::timed(std::uint16_t flags) noexcept {
  if (group_.tasks()) {
    member_.victim->ready();
    switches_ = sys::context_switches();  // those before are of no task
  }
  auto* const events = (flags & SIZING) == 0 ? member_.events : nullptr;
  if (events != nullptr) events->start();
  const auto raw_start = raw_nanoseconds();
  const auto start = clock_.now();
  const auto operations = work();
  const auto stop = clock_.now();
  const auto raw = static_cast<double>(raw_nanoseconds() - raw_start) * 1e-9;
  if (events != nullptr) events->stop(operations, stop - start);
  const auto switches = sys::context_switches();
  Block block = form_;
  block.cpu = static_cast<std::uint16_t>(sched_getcpu());
  block.switches = static_cast<std::uint32_t>(switches - switches_);
  switches_ = switches;
  block.start_ticks = start;
  block.stop_ticks = stop;
  block.operations = operations;
  const double took = clock_.seconds(stop - start);
  if (block.switches > 0) flags |= PREEMPTED;
  if (block.cpu != member_.cpu) flags |= MIGRATED;
  if (std::abs(raw - took) > DRIFT * took + DRIFT_FLOOR_S) flags |= DRIFTED;
  block.flags = flags;
  if (blocks_.size() < blocks_.capacity()) blocks_.push_back(block);
  return stop - start;
}

void BlockRunner::mark_steal() noexcept {
  const auto stolen = meter_.read();
  for (; unmarked_ < blocks_.size(); ++unmarked_)
    if (stolen != stolen_) blocks_[unmarked_].flags |= STOLEN;
  stolen_ = stolen;
  steal_due_ = clock_.now() + steal_period_;
}

/// One block, or one whole task. The clock waits for no store: a memset of 8 KB took 62 ns by it, with all lines still
/// in the core. So calls on blocks, timed one by one, end with a fence that waits; stores that pass the caches by end
/// with one that orders them, as some 50 lines of a thousand or more may still be on their way.
std::uint64_t BlockRunner::work() noexcept {
  if (group_.tasks()) {
    member_.victim->run();
    return member_.victim->operations();
  }
  const auto operations = walk_block();
  if (group_.operation() == Operation::block) std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto store = group_.entry->store;
  const bool weak = store == kernels::Store::nt || store == kernels::Store::direct || store == kernels::Store::string;
  if (weak) isa::Scalar::fence();
  member_.done += operations;
  return answers_ ? 0 : operations;  // a hand-over counts once, where it was timed from start to end
}

/// The operations of one block: whole passes of a small slice, or the next part of a large one. A pass that was begun
/// in parts is ended first: `verify_flushed` counts on blocks that follow one another round and round.
std::uint64_t BlockRunner::walk_block() noexcept {
  const auto block = member_.block;
  std::uint64_t operations = block;
  if (!group_.walks()) {
    if (group_.operation() == Operation::handover) operations += operations % 2;  // whole round trips
    walk(0, 0, operations);
  } else if (const auto slice = member_.end - member_.begin; block >= slice && member_.position == member_.begin) {
    walk(member_.begin, member_.end, block / slice);
    operations = block / slice * slice;
  } else {
    const auto end = std::min(member_.position + block, member_.end);
    walk(member_.position, end, 1);
    operations = end - member_.position;
    member_.position = end == member_.end ? member_.begin : end;
  }
  return operations;
}

/// One call of the kernel, or a call for each burst where it is paced or its tier emulated.
std::uint64_t BlockRunner::walk(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept {
  if (group_.plan.pace > 0 || throttle_.any()) return walk_in_bursts(begin, end, repeats);
  auto& pass = member_.pass;
  pass.begin = begin;
  pass.end = end;
  pass.repeats = repeats;
  return group_.variant.function(pass);
}

/// Operations between two delays or waits.
std::uint64_t BlockRunner::burst() const noexcept {
  if (!group_.walks()) return 1;
  const double bytes = std::max(group_.program_bytes(), 1.0);
  const auto paced = static_cast<std::uint64_t>(static_cast<double>(group_.plan.burst) / bytes);
  const auto wanted = group_.plan.pace > 0 ? paced : throttle_.burst();
  return std::max<std::uint64_t>(wanted / granule_, 1) * granule_;
}

std::uint64_t BlockRunner::walk_in_bursts(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept {
  auto& pass = member_.pass;
  const bool lines = group_.walks();
  const bool emulated = throttle_.any();
  const auto step = burst();
  std::uint64_t sum = 0;
  throttle_.begin();
  for (std::uint64_t r = 0; r < (lines ? repeats : 1); ++r)
    for (std::uint64_t at = begin; at < (lines ? end : repeats); at += step) {
      pass.begin = at;
      pass.end = std::min(at + step, end);
      pass.repeats = 1;
      sum += group_.variant.function(pass);
      if (emulated) throttle_.wait(lines ? pass.end - at : 1);
      if (group_.plan.pace == 0) continue;
      delay(group_.plan.pace);
      throttle_.begin();
    }
  return sum;
}

}  // namespace tierscope
