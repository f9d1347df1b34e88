/// Small differences in time between the threads of a machine. Without them, threads that do the same march in step for
/// ever: all come to one of several interleaved memories, then all to the next.
///
///     scatter    standard deviation of the end of accesses to an interleaved memory that no cache answers, evenly to
///                both sides; four of them have one draw
///     handover   threads start when they read a line that the last of them wrote. They read it one after another: n
///                threads start at even random times within n hand-overs
///
/// The mean of the first is zero, so that no latency moves. Where threads just fill a memory, accesses that end late
/// are lost and early ones wait: the bandwidth there falls by up to 2 %. A thread that runs alone has no jitter, and
/// neither has a machine without an interleaved memory (`ways`). With jitter, streams of four and five threads to DRAM
/// of one channel had bandwidths that drifted by up to 31 % within a point. Whether DRAM with a scheduler does is not
/// known.
/// Every draw depends on the machine's seed, the experiment, the CPU and the number of the draw alone. So two
/// experiments share none, and the same one has the same twice.
/// The scatter is the least deviation of eight kinds of single accesses on an idle machine, a store with clwb. The
/// others are 5.5 to 67.6 ns. The hand-over is the median of a Xeon Platinum 8275CL with 24 cores.
///
/// Source: J. Yang, J. Kim, M. Hoseinzadeh, J. Izraelevitz, S. Swanson, An Empirical Guide to the Behavior and Use of
/// Scalable Persistent Memory, FAST, 2020 (src/tierscope/reference/optane100_idle_latency.csv); N. Viennot, Measuring
/// CPU core-to-core latency, 2022.
///
/// Blind to: interrupts, refresh, threads that begin with other cached lines. All of them part threads further.
#pragma once
#include <cstdint>

#include "base/random.hpp"
#include "simulate/access.hpp"

namespace tierscope::simulate {

class Jitter {
 public:
  Jitter() = default;  // none
  Jitter(Time scatter, Time start, std::uint64_t seed) noexcept
      : half_(static_cast<Time>(HALF_WIDTH * static_cast<double>(scatter))), start_(start), seed_(seed) {}
  /// Return by how much an access ends later than its mean.
  [[nodiscard]] Time of_access() noexcept {
    if (half_ != 0 && asked_++ % RUN == 0) now_ = below(2 * half_ + 1) - half_;
    return now_;
  }
  /// Return by how much a thread starts after the others may.
  [[nodiscard]] Time of_start() noexcept { return start_ == 0 ? 0 : below(start_); }

 private:
  // Accesses of one draw. One for each takes 0.8 % of two writers' bandwidth on six DIMMs; of eight, one of six seeds
  // stayed in step.
  static constexpr std::uint64_t RUN = 4;
  static constexpr double HALF_WIDTH = 1.7320508;  // of an even distribution, over its standard deviation
  Time below(Time end) noexcept {
    return static_cast<Time>((random_word(seed_, drawn_++) >> 32U) * static_cast<std::uint64_t>(end) >> 32U);
  }
  Time half_ = 0, start_ = 0, now_ = 0;
  std::uint64_t seed_ = 0, drawn_ = 0, asked_ = 0;
};

}  // namespace tierscope::simulate
