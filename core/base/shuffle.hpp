/// A keyed bijection of 0..count-1 that is cheap enough to compute between two stores: 2 ns or so where Permutation
/// takes 10, so that memory need not contain the order of a walk. It has no inverse here, and is not a cipher.
/// Three rounds over the smallest number of bits that can represent `count`: a key is added by XOR, an odd factor
/// carries low bits into high ones, a shift carries high ones back; values from `count` upward go through again.
/// Source: A. Kensler, "Correlated Multi-Jittered Sampling", Pixar Technical Memo 13-01, 2013 (section 3: a hash that
/// is a bijection of some bits, walked in cycles); J. Black, P. Rogaway, "Ciphers with Arbitrary Finite Domains",
/// CT-RSA 2002 (cycle walking).
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/random.hpp"
#include "base/walk_below.hpp"

namespace tierscope {

class Shuffle {
 public:
  Shuffle(std::uint64_t count, std::uint64_t seed) noexcept : count_(count) {
    const unsigned bits = count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 1U;
    shift_ = (bits + 1) / 2;
    mask_ = (std::uint64_t{1} << bits) - 1;
    for (std::size_t round = 0; round < ROUNDS; ++round) {
      keys_[round] = random_word(seed, 2 * round);
      factors_[round] = random_word(seed, 2 * round + 1) | 1U;
    }
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t index) const noexcept {
    do {
      index = through(index);
    } while (index >= count_);
    return index;
  }
  /// The same for a range of indices from `first` on, MOST at most.
  void at(std::uint64_t first, std::span<std::uint64_t> places) const noexcept {
    const Shuffle self = *this;  // which `places` cannot alias
    for (auto& place : places) place = self.through(first++);
    if (count_ <= mask_) walk_below<MOST>(count_, places, [self](std::uint64_t place) { return self.through(place); });
  }
  static constexpr std::size_t MOST = 32;  // indices of one call

 private:
  [[nodiscard]] std::uint64_t through(std::uint64_t index) const noexcept {
    static_assert(ROUNDS == 3);  // written out: a compiler that saves space would loop
    index = (index ^ keys_[0]) * factors_[0] & mask_;
    index = ((index ^ index >> shift_) ^ keys_[1]) * factors_[1] & mask_;
    index = ((index ^ index >> shift_) ^ keys_[2]) * factors_[2] & mask_;
    index ^= index >> shift_;
    return index;
  }
  static constexpr std::size_t ROUNDS = 3;
  std::uint64_t count_;
  unsigned shift_ = 1;
  std::uint64_t mask_ = 1;
  std::array<std::uint64_t, ROUNDS> keys_{}, factors_{};
};

}  // namespace tierscope
