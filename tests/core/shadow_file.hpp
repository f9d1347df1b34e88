/// Four pages of a mapped file and the image behind them, and how often of many cuts a line contains a value.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "shadow/image.hpp"

namespace tierscope::tests {

using shadow::Image;
using shadow::LINE;
using shadow::PAGE;

/// A share of 30 or 50 % is within 10 % of it in all but one of 20 000 such tests.
inline constexpr unsigned SEEDS = 400;

/// Zeros at first.
class ShadowFile {
 public:
  ShadowFile() { look(); }
  void look() { image.look_at(memory); }
  /// Stores to a word of a line.
  void store(std::size_t line, std::uint64_t value, std::size_t word = 0) {
    std::memcpy(memory.data() + line * LINE + word * sizeof value, &value, sizeof value);
  }
  void flush(std::size_t line, unsigned lane = 0) { image.flush(lane, {line * LINE, 1}); }
  /// The word that a cut leaves.
  [[nodiscard]] std::uint64_t left(std::size_t line, std::uint64_t seed, std::size_t word = 0) const {
    for (const auto& each : image.crash(seed))
      if (each.offset == line * LINE) return each.content.at(word);
    return 0;
  }
  /// Return the number of SEEDS failures after which the line contains the value.
  [[nodiscard]] unsigned count(std::size_t line, std::uint64_t value) const {
    unsigned found = 0;
    for (unsigned seed = 0; seed < SEEDS; ++seed) found += left(line, seed) == value ? 1 : 0;
    return found;
  }

  alignas(PAGE) std::array<std::byte, 4 * PAGE> start{}, memory{};
  Image image{start, memory};
};

}  // namespace tierscope::tests
