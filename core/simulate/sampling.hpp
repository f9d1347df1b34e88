/// The time of a whole program from timed units and the gaps between them.
/// A gap takes the mean of the rates of the units before and behind it. The difference of these rates shows the
/// uncertainty. With independent units of variance v, a difference has 2 v, and the error of the sum is that of weights
/// w on units, sum w^2 v.
///
///     seconds    sum of units + sum over gaps of  instructions * (a + b) / 2
///     deviation  sqrt(sum over gaps of  instructions^2 * (a - b)^2 / 2)         a, b: seconds of an instruction
///
/// Blind to: lines that a cache had before a gap and lost, or the reverse, beyond the instructions that warm it and
/// the lines that the trace states of a gap (doubts.hpp).
/// Source: R. E. Wunderlich et al., "SMARTS: Accelerating Microarchitecture Simulation via Rigorous Statistical
/// Sampling", ISCA 2003 (units, warming).
/// Source: J. von Neumann et al., "The Mean Square Successive Difference", Annals of Mathematical Statistics 12(2),
/// 1941.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

namespace tierscope::simulate {

class Sampling {
 public:
  /// Add instructions of the part that is timed now.
  void count(std::uint64_t instructions) noexcept { now_ += instructions; }
  /// Add instructions that are not timed.
  void skip(std::uint64_t instructions) noexcept { gap_ += instructions; }
  /// End the part, after `seconds` of it. A part of fewer than LEAST instructions is too short for a rate.
  void end(double seconds) {
    if (now_ != 0) parts_.push_back({gap_, now_, seconds});
    if (now_ != 0) gap_ = 0;
    now_ = 0;
  }
  [[nodiscard]] std::uint64_t units() const noexcept { return parts_.size(); }
  struct Part {
    std::uint64_t gap, instructions;  // before the part; in it
    double seconds;
  };
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  /// Return the instructions behind the last part.
  [[nodiscard]] std::uint64_t gap() const noexcept { return gap_; }
  struct Estimate {
    double seconds = 0, deviation = 0;
  };
  [[nodiscard]] Estimate estimate() const {
    return over([&](std::size_t p) { return parts_[p].seconds; });
  }
  /// Return the value of the whole program from those of its parts: `value(number of a part)`.
  template <class Value>
  [[nodiscard]] double whole(const Value& value) const {
    return over(value).seconds;
  }

 private:
  static constexpr std::uint64_t LEAST = 1000;
  template <class Value>
  [[nodiscard]] Estimate over(const Value& value) const {
    Estimate sum;
    double variance = 0, before = -1;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto& part = parts_[p];
      const double of_part = value(p);
      sum.seconds += of_part;
      const double rate =
          part.instructions < LEAST && before >= 0 ? before : of_part / static_cast<double>(part.instructions);
      bridge(part.gap, before < 0 ? rate : before, rate, sum.seconds, variance);
      before = rate;
    }
    bridge(gap_, before, before, sum.seconds, variance);
    sum.deviation = std::sqrt(variance);
    return sum;
  }
  static void bridge(std::uint64_t instructions, double a, double b, double& seconds, double& variance) {
    const auto count = static_cast<double>(instructions);
    seconds += count * (a + b) / 2;
    variance += count * count * (a - b) * (a - b) / 2;
  }
  std::vector<Part> parts_;
  std::uint64_t gap_ = 0, now_ = 0;
};

}  // namespace tierscope::simulate
