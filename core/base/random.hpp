/// Counter-based random words: word i depends on i alone, so that threads fill their parts in any order.
/// Source: S. Vigna, D. Lea, G. Steele, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014 (splitmix64).
#pragma once
#include <cstdint>

namespace tierscope {

constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value = (value ^ value >> 30U) * 0xBF58476D1CE4E5B9U;
  value = (value ^ value >> 27U) * 0x94D049BB133111EBU;
  return value ^ value >> 31U;
}

constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) noexcept {
  return mixed(seed + (index + 1) * 0x9E3779B97F4A7C15U);
}

/// A double in [1, 2) with 52 random bits: finite, normal, and not compressible by any memory.
constexpr std::uint64_t random_real_bits(std::uint64_t seed, std::uint64_t index) noexcept {
  return random_word(seed, index) >> 12U | 0x3FF0000000000000U;
}

}  // namespace tierscope
