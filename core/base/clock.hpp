/// Ticks: the invariant time stamp counter where the CPU has one, else CLOCK_MONOTONIC_RAW in nanoseconds.
/// A read is fenced so that no load of the block moves out of it. x86: RDTSCP waits for earlier instructions, LFENCE
/// delays later ones. Stores are done but may still drain: a store buffer, some 50 to 100 lines of a block's
/// thousands. Source: Intel, "How to Benchmark Code Execution Times on Intel IA-32 and IA-64", white paper 324264,
/// 2010.
#pragma once
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tierscope {

/// CLOCK_MONOTONIC_RAW, never slewed by NTP, in nanoseconds.
inline std::uint64_t raw_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The source of the ticks; calibrated once per process. Counters of ARM and RISC-V run at 10 MHz to 1 GHz. With
/// TIERSCOPE_CLOCK_SHIFT=N, which is for tests, the ticks of this one are 2^N times as long.
class Clock {
 public:
  /// Takes about 20 ms: the counter's frequency is its ratio to CLOCK_MONOTONIC_RAW.
  static const Clock& get();

  [[nodiscard]] std::uint64_t now() const noexcept {
#if defined(__x86_64__)
    if (counter_) {
      unsigned processor = 0;
      const std::uint64_t ticks = __rdtscp(&processor);
      _mm_lfence();
      return ticks >> shift_;
    }
#elif defined(__aarch64__)
    if (counter_) {
      std::uint64_t ticks = 0;
      asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
      return ticks >> shift_;
    }
#elif defined(__riscv)
    if (counter_) {
      std::uint64_t ticks = 0;
      asm volatile("fence rw, rw; rdtime %0; fence rw, rw" : "=r"(ticks) : : "memory");
      return ticks >> shift_;
    }
#endif
    return raw_nanoseconds();
  }
  [[nodiscard]] const char* source() const noexcept { return counter_ ? counter_name() : "monotonic_raw"; }
  [[nodiscard]] double hz() const noexcept { return hz_; }
  [[nodiscard]] double seconds(std::uint64_t ticks) const noexcept { return static_cast<double>(ticks) / hz_; }
  [[nodiscard]] std::uint64_t ticks(double seconds) const noexcept { return static_cast<std::uint64_t>(seconds * hz_); }
  /// Smallest step between two reads that differ, over 1000 tries.
  [[nodiscard]] double resolution() const noexcept;
  /// Cost of one pair of reads with nothing between: the median of 100 means, so that a tick may be longer than a read.
  [[nodiscard]] double read_cost() const noexcept;

 private:
  Clock();
  static const char* counter_name() noexcept;
  bool counter_ = false;
  unsigned shift_ = 0;  // bits that are dropped, so that tests can use the clock of a slower machine
  double hz_ = 1e9;
};

}  // namespace tierscope
