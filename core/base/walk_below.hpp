/// The end of a cycle walk for several numbers: those that a bijection leads to `count` or beyond go through it again.
/// They are gathered without a branch on each number, which a processor would mispredict in up to half of all cases, so
/// that no number waits for the end of the one before.
/// Source: J. Black, P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002 (cycle walking).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tierscope {

/// @pre numbers.size() <= MOST. step: the bijection; a copy, which `numbers` cannot alias.
template <std::size_t MOST, typename Step>
void walk_below(std::uint64_t count, std::span<std::uint64_t> numbers, Step step) noexcept {
  std::array<std::uint32_t, MOST> again;
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    again[left] = i;
    left += numbers[i] >= count ? 1U : 0U;
  }
  while (left > 0) {
    std::uint32_t still = 0;
    for (std::uint32_t k = 0; k < left; ++k) {
      const auto i = again[k];
      const auto number = step(numbers[i]);
      numbers[i] = number;
      again[still] = i;
      still += number >= count ? 1U : 0U;
    }
    left = still;
  }
}

}  // namespace tierscope
