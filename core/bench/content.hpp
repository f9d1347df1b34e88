/// The content of the memory before the blocks: random reals or random words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.hpp"

namespace tierscope {

inline std::uint64_t* words_at(std::byte* at) noexcept { return reinterpret_cast<std::uint64_t*>(at); }

/// first: number of the range's first word.
inline void fill_reals(std::span<std::byte> range, std::uint64_t seed, std::uint64_t first) noexcept {
  auto* word = words_at(range.data());
  for (std::size_t i = 0; i < range.size() / 8; ++i) word[i] = random_real_bits(seed, first + i);
}

}  // namespace tierscope
