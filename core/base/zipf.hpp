/// Ranks 0 .. count - 1, rank k with a probability proportional to (k + 1)^-exponent: few are drawn often.
/// Drawn by inversion of the integral above the sum, and by rejection of the difference: no table, and fewer than 1.3
/// tries for each rank.
/// Source: W. Hoermann, G. Derflinger, "Rejection-Inversion to Generate Variates from Monotone Discrete
/// Distributions", ACM TOMACS 6(3), 1996; G. K. Zipf, "Human Behavior and the Principle of Least Effort", 1949.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tierscope {

class Zipf {
 public:
  /// exponent > 0; 1 is allowed.
  Zipf(std::uint64_t count, double exponent) noexcept
      : count_(static_cast<double>(count)),
        exponent_(exponent),
        first_(integral(1.5) - 1),
        last_(integral(count_ + 0.5)),
        accepted_(2 - inverse(integral(2.5) - density(2))) {}

  /// `word()` gives the next 64 random bits.
  template <class Word>
  [[nodiscard]] std::uint64_t draw(Word word) const noexcept {
    for (;;) {
      const double share = static_cast<double>(word() >> 11U) * 0x1p-53;
      const double area = last_ + share * (first_ - last_);
      const double x = inverse(area);
      const double rank = std::clamp(std::floor(x + 0.5), 1.0, count_);
      if (rank - x <= accepted_ || area >= integral(rank + 0.5) - density(rank))
        return static_cast<std::uint64_t>(rank) - 1;
    }
  }

 private:
  static constexpr double TINY = 1e-8;  // below, a series of two terms is exact
  [[nodiscard]] double density(double x) const noexcept { return std::exp(-exponent_ * std::log(x)); }
  /// The integral of the density from 1 to x.
  [[nodiscard]] double integral(double x) const noexcept {
    const double log = std::log(x), scaled = (1 - exponent_) * log;
    return (std::abs(scaled) > TINY ? std::expm1(scaled) / scaled : 1 + scaled / 2) * log;
  }
  [[nodiscard]] double inverse(double area) const noexcept {
    const double scaled = std::max(area * (1 - exponent_), -1.0);
    return std::exp((std::abs(scaled) > TINY ? std::log1p(scaled) / scaled : 1 - scaled / 2) * area);
  }
  double count_, exponent_, first_, last_, accepted_;
};

}  // namespace tierscope
