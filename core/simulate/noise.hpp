/// The effect of a shared machine on a measurement, applied to a simulated one: it changes the time that the clock
/// shows for a block, not what the memory did.
#pragma once
#include <cstdint>
#include <random>

#include "base/random.hpp"
#include "simulate/access.hpp"

namespace tierscope::simulate {

class Section;

/// A block as a noisy clock shows it.
struct Seen {
  Time start, stop;
  bool preempted = false, stolen = false;  // what a measurement could have detected
};

class Noise {
 public:
  Noise() = default;
  /// [noise] scale=0..100 (0: none), jitter, grain, interrupts, interrupt_length, steals, steal_length. @throws BadPlan
  Noise(const Section& section, std::uint64_t seed);
  [[nodiscard]] bool any() const noexcept { return scale_ > 0; }
  Seen distort(Time start, Time stop);

 private:
  double scale_ = 0, jitter_ = 0, interrupts_ = 0, steals_ = 0;  // of ln time; per second
  Time grain_ = 0, interrupt_length_ = 0, steal_length_ = 0;
  std::mt19937_64 random_;
};

}  // namespace tierscope::simulate
