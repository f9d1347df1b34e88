#include "bench/throttle.hpp"

#include <algorithm>
#include <cmath>

#include "bench/task.hpp"

namespace tierscope {
namespace {

constexpr double BURST_S = 10e-6;  // of the tier's time: what all threads together request in one burst
constexpr double LATE_S = 100e-9;  // a wait that ends later was interrupted, and what follows does not make up for it
constexpr double LEAST_S = 1e-6;   // of one thread's: a hundred cost little compared with the atomic that they share

}  // namespace

std::uint64_t Ceiling::pass(std::uint64_t start, double bytes) noexcept {
  const auto cost = static_cast<std::uint64_t>(std::ceil(bytes * ticks_per_byte_));
  auto before = passed_.load(std::memory_order_relaxed);
  std::uint64_t after = 0;
  do after = std::max(before, start) + cost;
  while (!passed_.compare_exchange_weak(before, after, std::memory_order_relaxed));
  return after;
}

Throttle::Throttle(const Group& group, Ceilings& ceilings) : clock_(Clock::get()), late_ticks_(clock_.ticks(LATE_S)) {
  if (group.task->waits()) {
    floor_ticks_ = static_cast<std::uint64_t>(std::ceil(group.target_adds.latency_floor_s * clock_.hz()));
    return;
  }
  if (!group.task->limited()) return;
  add(parts_[0], group.plan.target + ":" + group.plan.where, group.target_adds, group, false, ceilings);
  add(parts_[1], group.plan.source, group.source_adds, group, true, ceilings);
}

void Throttle::add(Part& part, const std::string& word, const Emulation& emulation, const Group& group, bool source,
                   Ceilings& ceilings) {
  part.bytes = group.program_bytes(source);
  if (emulation.bandwidth <= 0 || part.bytes <= 0) return;
  part.ceiling = &ceilings.try_emplace(word, clock_.hz() / emulation.bandwidth).first->second;
  const double share_s = std::max(BURST_S / static_cast<double>(group.members.size()), LEAST_S);
  const auto operations = static_cast<std::uint64_t>(emulation.bandwidth * share_s / part.bytes);
  burst_ = std::max<std::uint64_t>(burst_ == 1 ? operations : std::min(burst_, operations), 1);
}

void Throttle::wait(std::uint64_t operations) noexcept {
  auto due = began_ + floor_ticks_;
  for (const auto& [ceiling, bytes] : parts_)
    if (ceiling != nullptr) due = std::max(due, ceiling->pass(began_, bytes * static_cast<double>(operations)));
  auto now = clock_.now();
  const bool waited = now < due;
  while (now < due) now = clock_.now();
  began_ = waited && now - due <= late_ticks_ ? due : now;
}

}  // namespace tierscope
