/// Zeros by an instruction that fills a whole aligned block. The parts of a range before the first block and behind the
/// last are stored.
#pragma once
#include <algorithm>
#include <cstring>

#include "kernels/bytes.hpp"

namespace tierscope::kernels {

/// Fill `size` bytes at `to`: `zero(at)` for each block of `block` bytes, a power of two.
template <class Zero>
[[gnu::always_inline]] inline void zero_blocks(std::byte* to, std::size_t size, std::size_t block, Zero zero) noexcept {
  auto* const end = to + size;
  const auto past = (reinterpret_cast<std::uintptr_t>(to) + block - 1) / block * block;
  auto* const first = std::min(end, reinterpret_cast<std::byte*>(past));
  auto* at = first;
  std::memset(to, 0, static_cast<std::size_t>(first - to));
  for (; at + block <= end; at += block) zero(at);
  std::memset(at, 0, static_cast<std::size_t>(end - at));
}

/// The pass of a kernel that writes zeros in this way.
template <class Zero>
inline std::uint64_t zeros_pass(Pass& pass, std::size_t block, Zero zero) noexcept {
  return bytes::set(pass, [&](std::byte* to, std::size_t size) { zero_blocks(to, size, block, zero); });
}
inline std::uint64_t zeros_reference(Pass& pass) noexcept {
  return bytes::set(pass, [](std::byte* to, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] = std::byte{0};
  });
}

}  // namespace tierscope::kernels
