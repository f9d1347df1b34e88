/// The buckets of a chained hash from keys to places. Sixteen keys in a row have different buckets in one line of the
/// host's cache, since neighbours are looked up shortly after one another. The lines themselves are in a random order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "simulate/large.hpp"

namespace tierscope::simulate {

class Buckets {
 public:
  static constexpr std::uint32_t NONE = ~std::uint32_t{0};
  /// At least `least` buckets.
  explicit Buckets(std::size_t least)
      : heads_(std::bit_ceil(std::max<std::size_t>(least, ROW)), NONE),
        shift_(64U - static_cast<unsigned>(std::bit_width(heads_.size() - 1))) {}
  /// Return the first place of the chain that may contain the key; NONE if the chain is empty.
  [[nodiscard]] std::uint32_t& head(std::uint64_t key) noexcept { return heads_[bucket(key)]; }
  [[nodiscard]] std::uint32_t head(std::uint64_t key) const noexcept { return heads_[bucket(key)]; }
  void announce(std::uint64_t key) const noexcept { __builtin_prefetch(&heads_[bucket(key)]); }
  [[nodiscard]] std::size_t bytes() const noexcept { return heads_.size() * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint64_t ROW = 16;
  /// Fibonacci hashing of the row (D. E. Knuth, "The Art of Computer Programming", volume 3, section 6.4).
  [[nodiscard]] std::size_t bucket(std::uint64_t key) const noexcept {
    return (key / ROW * 0x9E3779B97F4A7C15U >> shift_) ^ (key % ROW);
  }
  std::vector<std::uint32_t, Large<std::uint32_t>> heads_;
  unsigned shift_;
};

}  // namespace tierscope::simulate
