/// A keyed bijection of 0..count-1 and its inverse, in closed form: the order of a random cycle without a
/// table, so that any number of threads builds its part of the cycle at memory speed.
/// Four Feistel rounds over the smallest even number of bits that can represent `count`, walking cycles until the
/// value is below `count`. Sources: M. Luby, C. Rackoff, "How to Construct Pseudorandom Permutations from
/// Pseudorandom Functions", SIAM J. Comput. 1988 (four rounds); J. Black, P. Rogaway, "Ciphers with Arbitrary
/// Finite Domains", CT-RSA 2002 (cycle walking).
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "base/walk_below.hpp"

namespace tierscope {

class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed) noexcept : count_(count) {
    const unsigned bits = count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 1U;
    half_ = (bits + 1) / 2;
    mask_ = (std::uint64_t{1} << half_) - 1;
    for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = random_word(seed, round);
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t index) const noexcept {
    do index = forward(index);
    while (index >= count_);
    return index;
  }
  [[nodiscard]] std::uint64_t inverse(std::uint64_t value) const noexcept {
    do value = backward(value);
    while (value >= count_);
    return value;
  }
  /// The same in place for many numbers: more than twice as fast, since no walk waits for the end of the one before.
  void at(std::span<std::uint64_t> indices) const noexcept {
    walk(count_, indices, [self = *this](std::uint64_t index) { return self.forward(index); });
  }
  void inverse(std::span<std::uint64_t> values) const noexcept {
    walk(count_, values, [self = *this](std::uint64_t value) { return self.backward(value); });
  }

 private:
  static constexpr std::size_t SIDE_BY_SIDE = 64;  // walks; their numbers stay in the nearest cache

  template <typename Step>
  static void walk(std::uint64_t count, std::span<std::uint64_t> numbers, Step step) noexcept {
    while (!numbers.empty()) {
      const auto part = numbers.first(std::min(SIDE_BY_SIDE, numbers.size()));
      for (auto& number : part) number = step(number);
      walk_below<SIDE_BY_SIDE>(count, part, step);
      numbers = numbers.subspan(part.size());
    }
  }
  [[nodiscard]] std::uint64_t forward(std::uint64_t index) const noexcept {
    std::uint64_t left = index >> half_;
    std::uint64_t right = index & mask_;
    for (const auto key : keys_) {
      const auto next = left ^ round(right, key);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }
  [[nodiscard]] std::uint64_t backward(std::uint64_t value) const noexcept {
    std::uint64_t left = value >> half_;
    std::uint64_t right = value & mask_;
    for (std::size_t r = keys_.size(); r-- > 0;) {
      const auto before = right ^ round(left, keys_[r]);
      right = left;
      left = before;
    }
    return left << half_ | right;
  }
  [[nodiscard]] std::uint64_t round(std::uint64_t half, std::uint64_t key) const noexcept {
    return mixed(half ^ key) & mask_;
  }
  std::uint64_t count_;
  unsigned half_ = 1;
  std::uint64_t mask_ = 1;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace tierscope
