/// The C library's memset, called for one block after another, each drawn uniformly from the thread's slice: some
/// blocks are written twice before others are written once. A draw costs a multiplication and an addition, about 5
/// cycles, and the next draw waits for it. The smallest blocks show this cost; no write waits for another. Source: ISO
/// C, 7.24.6.1; D. E. Knuth, "The Art of Computer Programming", volume 2, 3.2.1 (linear congruences); the block is
/// taken from the high half of the product, D. Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS
/// 2019.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::memset_blocks_random {
inline constexpr KernelInfo info{.name = "memset_blocks_random",
                                 .summary = "memset of the C library, a call for each of blocks drawn at random",
                                 .source = "ISO C, 7.24.6.1; D. E. Knuth, \"The Art of Computer Programming\", 3.2.1",
                                 .check = Check::replayed,
                                 .operands = bytes::WRITTEN,
                                 .store = Store::libc,
                                 .operation = "block",
                                 .drawn = true};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  auto state = pass.state;
  const auto count = (pass.end - pass.begin) * pass.repeats;
  auto* const base = pass.operand[0] + pass.cursor * pass.element;
  for (std::uint64_t i = 0; i < count; ++i) {
    state = bytes::next_draw(state);
    std::memset(base + bytes::drawn(state, pass.nodes) * pass.element, bytes::FILL, bytes::hidden(pass.element));
  }
  pass.state = state;
  return 0;
}
/// Instead, bench/tasks/block_check.cpp repeats the draws backwards.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::memset_blocks_random
