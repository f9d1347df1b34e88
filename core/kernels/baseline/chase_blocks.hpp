/// Chase of blocks: each hop loads the pointer at the start of an element and 8 bytes of each other line of it; the
/// next hop waits for all of them. Its time is that of a block whose lines are in flight at the same time. It shows how
/// much a memory with larger lines than the processor's gains or loses behind the first line.
/// The sum of the loaded values enters the next address through an AND with 0. Neither the processor nor the compiler,
/// from which the 0 is hidden, can remove this dependency.
/// Blind to: prefetchers that follow the lines of an element; the loads do not show which line came last.
/// Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, blocks of a
/// pointer chase).
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::kernels::chase_blocks {
inline constexpr KernelInfo info{.name = "chase_blocks",
                                 .summary = "dependent loads of whole elements along one random cycle",
                                 .source =
                                     "Z. Wang et al., \"Characterizing and Modeling Non-Volatile Memory Systems\", "
                                     "MICRO 2020",
                                 .check = Check::recomputed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .sums = true,
                                 .content = Content::cycle,
                                 .operation = "hop",
                                 .orders = true,
                                 .whole = true};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t word(std::uint64_t at) noexcept { return *reinterpret_cast<const volatile std::uint64_t*>(at); }

/// Add up the first 8 bytes of each line behind the first, in two sums: one add per cycle would be slower than two
/// loads.
[[gnu::always_inline]] inline std::uint64_t others(std::uint64_t at, std::uint64_t end) noexcept {
  std::uint64_t even = 0, odd = 0;
  for (at += LINE; at + LINE < end; at += 2 * LINE) {
    even += word(at);
    odd += word(at + LINE);
  }
  if (at < end) even += word(at);
  return even + odd;
}

/// `cursor` is the address of the node under the needle.
inline std::uint64_t pass(Pass& pass) noexcept {
  std::uint64_t sum = 0, nothing = 0;
  asm("" : "+r"(nothing));
  auto at = pass.cursor;
  for (auto left = pass.repeats; left > 0; --left) {
    const auto next = word(at);
    const auto found = others(at, at + pass.element);
    sum += found;
    at = next + (found & nothing);
  }
  pass.cursor = at;
  return sum;
}
/// The cursor and the sum after n hops are known in closed form; bench/tasks/hop.cpp compares them.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::chase_blocks
