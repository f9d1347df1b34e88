/// The time that the clock shows for a block of length d that starts at t, with s the scale:
///
///     d * exp(s * jitter * N(0,1)) + s-fold many interrupts + s-fold many steals, on clock reads of `grain`
///
/// Interrupts and steals come as Poisson processes. An interrupt lasts an exponential time around its length and leaves
/// no trace. A steal also lasts an exponential time, and is reported in nine of ten cases, as on a guest whose kernel
/// gets this count.
/// Blind to: drifts over minutes; neighbours that fill a shared cache.
/// Source of the orders of magnitude: measured on small shared guests, docs/how-to/busy-machines.md.
#include "simulate/noise.hpp"

#include <cmath>

#include "simulate/config.hpp"

namespace tierscope::simulate {
namespace {
constexpr double KNOWN = 0.9;  // share of the steals
}

Noise::Noise(const Section& section, std::uint64_t seed)
    : scale_(section.real("scale", 0, 100, "0")),
      jitter_(section.real("jitter", 0, 1, "0.01")),
      interrupts_(section.real("interrupts", 0, 1e6, "250")),
      steals_(section.real("steals", 0, 1e4, "5")),
      grain_(section.time("grain", "0.4ns")),
      interrupt_length_(section.time("interrupt_length", "3us")),
      steal_length_(section.time("steal_length", "2ms")),
      random_(seed) {
  section.refuse_rest();
}

Seen Noise::distort(Time start, Time stop) {
  if (!any()) return {start, stop};
  Seen seen{start, stop};
  const auto length = static_cast<double>(stop - start);
  double took = length * std::exp(scale_ * jitter_ * std::normal_distribution<double>()(random_));
  const auto events = [&](double per_s, Time each, bool& noted, double known) {
    auto count = std::poisson_distribution<long>(scale_ * per_s * length / TICKS_PER_S)(random_);
    for (; count > 0; --count) {
      took += std::exponential_distribution<double>(1 / static_cast<double>(each))(random_);
      noted = noted || std::bernoulli_distribution(known)(random_);
    }
  };
  bool unseen = false;
  if (interrupt_length_ > 0) events(interrupts_, interrupt_length_, unseen, 0);
  if (steal_length_ > 0) events(steals_, steal_length_, seen.stolen, KNOWN);
  seen.stop = start + static_cast<Time>(std::llround(took));
  if (grain_ > 1) {
    seen.start = seen.start / grain_ * grain_;
    seen.stop = seen.stop / grain_ * grain_;
  }
  return seen;
}

}  // namespace tierscope::simulate
