#include "bench/turn.hpp"

#include "bench/task.hpp"

namespace tierscope {
namespace {

/// A delay of `cycles` dependent decrements, one core cycle each where taken branches keep up; the call of a burst
/// comes on top. Source: A. Fog, "Instruction tables", 2022 (latency of DEC, throughput of taken branches).
inline void delay(std::uint64_t cycles) noexcept {
  for (std::uint64_t i = cycles; i > 0; --i) asm volatile("" : "+r"(i));
}

bool is_weak(kernels::Store store) {
  return store == kernels::Store::nt || store == kernels::Store::direct || store == kernels::Store::string;
}

}  // namespace

/// Some 50 lines of a thousand or more that pass the caches by may still be on their way, so a fence orders them.
Turn::Turn(const Group& its_group, Member& its_member, unsigned thread, Ceilings& ceilings)
    : group(its_group),
      member(its_member),
      throttle(its_group, ceilings),
      answers(its_group.task->answers(thread)),
      weak(is_weak(its_group.entry->store)),
      granule(its_group.task->granule(its_group)) {}

/// Operations between two delays or waits of what goes through a slice.
std::uint64_t Turn::burst() const noexcept {
  const double bytes = std::max(group.program_bytes(), 1.0);
  const auto paced = static_cast<std::uint64_t>(static_cast<double>(group.plan.burst) / bytes);
  const auto wanted = group.plan.pace > 0 ? paced : throttle.burst();
  return std::max<std::uint64_t>(wanted / granule, 1) * granule;
}

template <bool SLICES>
std::uint64_t Turn::walk_in_bursts(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept {
  auto& pass = member.pass;
  const bool emulated = throttle.any();
  const auto step = SLICES ? burst() : 1;
  std::uint64_t sum = 0;
  throttle.begin();
  for (std::uint64_t r = 0; r < (SLICES ? repeats : 1); ++r)
    for (std::uint64_t at = begin; at < (SLICES ? end : repeats); at += step) {
      pass.begin = at;
      pass.end = std::min(at + step, end);
      pass.repeats = 1;
      sum += group.variant.function(pass);
      if (emulated) throttle.wait(SLICES ? pass.end - at : 1);
      if (group.plan.pace == 0) continue;
      delay(group.plan.pace);
      throttle.begin();
    }
  return sum;
}

template std::uint64_t Turn::walk_in_bursts<true>(std::uint64_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint64_t Turn::walk_in_bursts<false>(std::uint64_t, std::uint64_t, std::uint64_t) noexcept;

}  // namespace tierscope
