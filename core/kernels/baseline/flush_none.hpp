/// Stores of blocks without a flush: the base of comparison for the others. No block needs to survive.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_none {
inline constexpr KernelInfo info = flush::info_of("flush_none", "stores of blocks, not flushed", Store::plain, "");
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, flush::Nothing>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_none
