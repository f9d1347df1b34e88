#include "bench/turn.hpp"

#include "bench/task.hpp"
#include "kernels/walk.hpp"

namespace tierscope {
namespace {

/// Delays by `cycles` dependent decrements, one core cycle each where taken branches keep up; the call of a burst is
/// additional. Source: A. Fog, "Instruction tables", 2022 (latency of DEC, throughput of taken branches).
inline void delay(std::uint64_t cycles) noexcept {
  for (std::uint64_t i = cycles; i > 0; --i) asm volatile("" : "+r"(i));
}

bool is_weak(kernels::Store store) {
  return store == kernels::Store::nt || store == kernels::Store::direct || store == kernels::Store::string;
}

}  // namespace

/// Some 50 lines of a thousand or more that bypass the caches may still be in flight, so a fence orders them.
Turn::Turn(const Group& its_group, Member& its_member, unsigned thread, Ceilings& ceilings)
    : group(its_group),
      member(its_member),
      throttle(its_group, ceilings),
      answers(its_group.task->answers(thread)),
      weak(is_weak(its_group.entry->store)),
      granule(its_group.task->granule(its_group)) {}

/// Operations of each stream between two delays or waits of a task on slices: as many steps as contain the bytes of a
/// burst.
std::uint64_t Turn::burst() const noexcept {
  const auto& shape = group.variant.shape;
  const auto step = static_cast<double>(shape.streams * shape.unroll);
  const double paced = static_cast<double>(group.plan.burst) / std::max(group.program_bytes(), 1.0);
  const double wanted = group.plan.pace > 0 ? paced : static_cast<double>(throttle.burst());
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(wanted / step)), 1) * shape.unroll;
}

void Turn::pause(std::uint64_t operations) noexcept {
  if (throttle.any()) throttle.wait(operations);
  if (group.plan.pace == 0) return;
  delay(group.plan.pace);
  throttle.begin();
}

/// The streams are as far apart as without bursts: a burst is a part of each. If streams were within the bytes of a
/// burst, they would follow each other by a line or two, and no prefetcher would take them for streams.
std::uint64_t Turn::walk_in_bursts(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept {
  auto& pass = member.pass;
  const auto& shape = group.variant.shape;
  const auto part = burst();
  std::uint64_t sum = 0;
  throttle.begin();
  pass.repeats = 1;
  for (std::uint64_t r = 0; r < repeats; ++r)
    for (std::uint64_t at = begin; at < end; at += shape.streams * pass.distance) {
      pass.distance = kernels::distance_of(shape, end - at);
      for (std::uint64_t off = at; off < at + pass.distance; off += part) {
        pass.begin = off;
        pass.end = std::min(off + part, at + pass.distance);
        sum += group.variant.function(pass);
        pause(shape.streams * (pass.end - off));
      }
    }
  pass.distance = 0;
  return sum;
}

std::uint64_t Turn::repeat_one_by_one(std::uint64_t repeats) noexcept {
  auto& pass = member.pass;
  std::uint64_t sum = 0;
  throttle.begin();
  pass.repeats = 1;
  for (std::uint64_t r = 0; r < repeats; ++r) {
    sum += group.variant.function(pass);
    pause(1);
  }
  return sum;
}

}  // namespace tierscope
