/// Stores of blocks, each line written back by CLWB, which may leave it in the cache.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_clwb {
inline constexpr KernelInfo info =
    flush::info_of("flush_clwb", "stores of blocks, then CLWB of each line", Store::plain, "clwb", Flush::clwb);
inline constexpr std::string_view isa = "scalar";

struct FlushLine {
  static constexpr bool any = true;
  [[gnu::always_inline]] static void line(std::byte* at) noexcept { asm volatile("clwb %0" : "+m"(*at)); }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, FlushLine>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_clwb
