#include "bench/blocks.hpp"

#include <sched.h>

#include <cmath>
#include <utility>

#include "base/syscall.hpp"
#include "bench/task.hpp"
#include "bench/timed.hpp"

namespace tierscope {
namespace {

constexpr double STEAL_STEP_S = 0.010;        // the kernel counts steal in steps of 10 ms
constexpr double STEAL_COST = 100;            // a look may take 1/100 of the time between looks
constexpr double DRIFT = 1e-3;                // clocks that differ more over a block: a jump or a migrated machine
constexpr double DRIFT_FLOOR_S = 2e-6;        // what an interrupt between two clock reads may take
constexpr std::size_t SPARE_BLOCKS = 4;       // space for blocks of a quarter of the length that was asked for
constexpr std::size_t BESIDE_TASKS = 20'000;  // blocks kept of a member that runs during tasks: 20 s of 1 ms

}  // namespace

BlockRunner::BlockRunner(const Group& group, Member& member, unsigned group_number, unsigned thread, Batch& batch)
    : group_(group),
      member_(member),
      batch_(batch),
      clock_(Clock::get()),
      meter_(member.cpu),
      turn_(group, member, thread, batch.ceilings),
      answers_(turn_.answers),
      asks_(group.task->asks_another(thread)),
      leads_(!answers_ && (!batch.tasks || group.task->whole())),
      sizing_(!answers_),
      leading_(leads_),
      asking_(asks_) {
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

void BlockRunner::size() noexcept { group_.task->size(*this); }

void BlockRunner::run() noexcept { group_.task->run(*this); }

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

void BlockRunner::scale_block(double scale) noexcept {
  const auto granule = turn_.granule;
  const auto wanted = static_cast<double>(member_.block) * scale / static_cast<double>(granule);
  member_.block = std::max<std::uint64_t>(static_cast<std::uint64_t>(std::llround(wanted)), 1) * granule;
}

void BlockRunner::begin_run() noexcept {
  switches_ = sys::context_switches();
  stolen_ = meter_.read();
  unmarked_ = blocks_.size();
  steal_due_ = clock_.now() + steal_period_;
}

void BlockRunner::keep(std::uint64_t start, std::uint64_t stop, double raw_s, std::uint64_t operations,
                       std::uint16_t flags) noexcept {
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
  if (std::abs(raw_s - took) > DRIFT * took + DRIFT_FLOOR_S) flags |= DRIFTED;
  block.flags = flags;
  if (blocks_.size() < blocks_.capacity()) blocks_.push_back(block);
}

void BlockRunner::mark_steal() noexcept {
  const auto stolen = meter_.read();
  for (; unmarked_ < blocks_.size(); ++unmarked_)
    if (stolen != stolen_) blocks_[unmarked_].flags |= STOLEN;
  stolen_ = stolen;
  steal_due_ = clock_.now() + steal_period_;
}

}  // namespace tierscope
