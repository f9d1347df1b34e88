#include "bench/tasks/chain_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tierscope {
namespace {

using kernels::chain::Ranks;

constexpr std::uint64_t SUMMED = 4096;  // ranks whose shares are added up; behind them the integral is as good
constexpr double GOLDEN = 0.6180339887498949;

/// The shares of ranks 0 .. count - 1 before they are divided by their sum, and the inverse of their running sum.
class Shares {
 public:
  Shares(std::uint64_t count, double exponent) : exponent_(exponent) {
    const auto summed = std::min(count, SUMMED);
    sums_.reserve(summed + 1);
    sums_.push_back(0);
    for (std::uint64_t rank = 0; rank < summed; ++rank)
      sums_.push_back(sums_.back() + std::pow(static_cast<double>(rank + 1), -exponent));
    total_ = sums_.back();
    if (count > summed) total_ += area(static_cast<double>(count) + 0.5) - area(static_cast<double>(summed) + 0.5);
  }
  [[nodiscard]] double total() const noexcept { return total_; }
  /// Returns the rank at which the running sum reaches `sum`, with its fraction.
  [[nodiscard]] double rank(double sum) const {
    if (sum >= sums_.back())
      return inverse(area(static_cast<double>(sums_.size() - 1) + 0.5) + sum - sums_.back()) - 0.5;
    const auto next = std::upper_bound(sums_.begin(), sums_.end(), sum);
    const auto before = next - 1;
    return static_cast<double>(before - sums_.begin()) + (sum - *before) / (*next - *before);
  }

 private:
  /// The integral of x^-exponent from 1.
  [[nodiscard]] double area(double x) const {
    const double power = 1 - exponent_;
    return power == 0 ? std::log(x) : std::expm1(power * std::log(x)) / power;
  }
  [[nodiscard]] double inverse(double area) const {
    const double power = 1 - exponent_;
    return power == 0 ? std::exp(area) : std::exp(std::log1p(std::max(power * area, -1.0)) / power);
  }
  double exponent_, total_ = 0;
  std::vector<double> sums_;  // of the first ranks
};

/// Returns a number of regions near the golden section that is prime to all of them, as a share of 2^64, rounded up.
std::uint64_t scatter_of(std::uint64_t regions) {
  if (regions == 1) return 0;
  auto step = std::max<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(regions) * GOLDEN), 1);
  while (std::gcd(step, regions) != 1) ++step;
  const auto whole = static_cast<unsigned __int128>(step) << 64U;
  return static_cast<std::uint64_t>((whole + regions - 1) / regions);
}

}  // namespace

Ranks ranks_of(std::uint64_t regions, double exponent) {
  const Shares shares(regions, exponent);
  const auto most = static_cast<double>(regions) - 0x1p-20;  // a draw below the last quantile has a rank that exists
  Ranks ranks;
  for (std::size_t slot = 0; slot <= Ranks::SLOTS; ++slot) {
    const double sum = shares.total() * static_cast<double>(slot) / static_cast<double>(Ranks::SLOTS);
    const double rank = slot == Ranks::SLOTS ? most : std::clamp(shares.rank(sum), 0.0, most);
    ranks.quantile[slot] = static_cast<std::uint64_t>(std::ldexp(rank, Ranks::FRACTION_BITS));
  }
  ranks.scatter = scatter_of(regions);
  return ranks;
}

}  // namespace tierscope
