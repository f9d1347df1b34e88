/// Quotient and remainder by a divisor that is fixed in advance: the number of sets need not be a power of two.
/// n - floor(n * m / 2^(64+s)) * d with s = floor(log2 d), m = floor(2^(64+s) / d) + 1: exact for all n below 2^63.
/// Source: T. Granlund, P. L. Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, theorem
/// 4.2.
#pragma once
#include <bit>
#include <cstdint>

namespace tierscope::simulate {

class Modulus {
 public:
  explicit Modulus(std::uint64_t divisor) noexcept
      : divisor_(divisor), shift_(static_cast<unsigned>(std::bit_width(divisor)) - 1) {
    if (!std::has_single_bit(divisor)) factor_ = static_cast<std::uint64_t>((Wide{1} << (64 + shift_)) / divisor) + 1;
  }
  struct Parts {
    std::uint64_t quotient, rest;
  };
  [[nodiscard]] bool power() const noexcept { return factor_ == 0; }
  /// Return the same as `of` for a divisor that is a power of two.
  [[nodiscard]] Parts of_power(std::uint64_t number) const noexcept {
    return {number >> shift_, number & (divisor_ - 1)};
  }
  [[nodiscard]] Parts of(std::uint64_t number) const noexcept {
    if (power()) return of_power(number);
    const auto quotient = static_cast<std::uint64_t>((Wide{number} * factor_) >> 64U) >> shift_;
    return {quotient, number - quotient * divisor_};
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t divisor_, factor_ = 0;
  unsigned shift_;
};

}  // namespace tierscope::simulate
