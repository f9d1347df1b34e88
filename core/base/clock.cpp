#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/cpuid.hpp"

namespace tierscope {
namespace {

/// Ticks per second between two pairs of reads 5 ms apart.
double one_ratio(const Clock& clock) {
  const auto ns0 = raw_nanoseconds();
  const auto t0 = clock.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto ns1 = raw_nanoseconds();
  const auto t1 = clock.now();
  return static_cast<double>(t1 - t0) * 1e9 / static_cast<double>(ns1 - ns0);
}

/// Returns 0 for a value that is not a number up to 20.
unsigned asked_shift() noexcept {
  const char* const word = std::getenv("TIERSCOPE_CLOCK_SHIFT");
  const std::string_view text = word == nullptr ? "" : word;
  unsigned shift = 0;
  std::from_chars(text.data(), text.data() + text.size(), shift);
  return shift <= 20 ? shift : 0;
}

}  // namespace

const Clock& Clock::get() {
  static const Clock clock;
  return clock;
}

/// Takes the median of five ratios: a preemption between the two reads of a pair affects one ratio, not the median.
Clock::Clock() {
  counter_ = cpu::invariant_tsc();
  if (!counter_) return;
  shift_ = asked_shift();
  std::array<double, 5> ratios{};
  for (auto& ratio : ratios) ratio = one_ratio(*this);
  std::sort(ratios.begin(), ratios.end());
  hz_ = ratios[2];
}

const char* Clock::counter_name() noexcept {
#if defined(__aarch64__)
  return "cntvct";
#elif defined(__riscv)
  return "time";
#else
  return "tsc";
#endif
}

double Clock::resolution() const noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const auto first = now();
    auto second = now();
    while (second == first) second = now();
    least = std::min(least, second - first);
  }
  return seconds(least);
}

double Clock::read_cost() const noexcept {
  constexpr unsigned PAIRS = 1000;
  std::array<std::uint64_t, 100> costs{};
  for (auto& cost : costs) {
    const auto first = now();
    for (unsigned pair = 1; pair < PAIRS; ++pair) static_cast<void>(now());
    cost = now() - first;
  }
  std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
  return seconds(costs[costs.size() / 2]) / PAIRS;
}

}  // namespace tierscope
