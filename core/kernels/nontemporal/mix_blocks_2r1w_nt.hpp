/// Blocks in any order and stride, 2 blocks read for 1 written, by non-temporal stores.
#pragma once
#include "kernels/mix_blocks.hpp"

namespace tierscope::kernels::mix_blocks_2r1w_nt {
inline constexpr KernelInfo info = mix_blocks::info_of(
    "mix_blocks_2r1w_nt", "2 blocks read for 1 written, by non-temporal stores, in any order and stride", 2, 1,
    Store::nt);
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept { return mix_blocks::pass<flush::NonTemporal, info>(pass); }
inline std::uint64_t reference(Pass& pass) noexcept { return mix_blocks::reference<info>(pass); }
}  // namespace tierscope::kernels::mix_blocks_2r1w_nt
