/// Non-temporal stores of blocks: nothing is left in a cache to flush.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_nt {
inline constexpr KernelInfo info = flush::info_of("flush_nt", "non-temporal stores of blocks", Store::nt, "");
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::NonTemporal, flush::Nothing>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_nt
