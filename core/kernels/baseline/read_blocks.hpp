/// Reads of blocks: every 64-bit value of the first `access` bytes of each element is loaded and added up, in four sums
/// of two values each, so that no load waits for another. An element larger than what is read is the stride.
/// `fence=region` waits for all loads behind each region (order=once).
/// Blind to: prefetchers, which follow blocks in sequence.
/// Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, strided reads).
#pragma once
#include <atomic>

#include "kernels/blocks.hpp"

namespace tierscope::kernels::read_blocks {
inline constexpr KernelInfo info{.name = "read_blocks",
                                 .summary = "sum of 64-bit words of blocks, in any order and stride",
                                 .source =
                                     "Z. Wang et al., \"Characterizing and Modeling Non-Volatile Memory Systems\", "
                                     "MICRO 2020",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .sums = true,
                                 .operation = "block",
                                 .orders = true};
inline constexpr std::string_view isa = "scalar";

inline void region_ends(const Pass& pass) noexcept {
  if (pass.fence == Fence::region) std::atomic_thread_fence(std::memory_order_seq_cst);
}

inline std::uint64_t pass(Pass& pass) noexcept {
  using Pair [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
  constexpr std::size_t PAIRS = LINE / sizeof(Pair);
  static_assert(PAIRS == 4);
  Pair a{}, b{}, c{}, d{};
  const auto add = [&, size = pass.touched()](const std::byte* at) __attribute__((always_inline)) {
    const auto* pair = reinterpret_cast<const Pair*>(at);
    for (const auto* const end = pair + size / sizeof(Pair); pair < end; pair += PAIRS)
      a += pair[0], b += pair[1], c += pair[2], d += pair[3];
  };
  blocks::walk(pass, add, [&] { region_ends(pass); });
  a += b + (c + d);
  return a[0] + a[1];
}

/// Read in steps of 8 bytes.
inline std::uint64_t reference(Pass& pass) noexcept {
  std::uint64_t sum = 0;
  const auto add = [&, size = pass.touched()](const std::byte* at) {
    const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(at);
    for (std::uint64_t i = 0; i < size / sizeof *words; ++i) sum += words[i];
  };
  blocks::walk(pass, add, [] {});
  return sum;
}
}  // namespace tierscope::kernels::read_blocks
