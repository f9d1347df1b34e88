/// Stores of blocks, each line flushed by CLFLUSH, which waits for the one before: one line at a time.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_clflush {
inline constexpr KernelInfo info = flush::info_of("flush_clflush", "stores of blocks, then CLFLUSH of each line",
                                                  Store::plain, "clflush", Flush::clflush);
inline constexpr std::string_view isa = "scalar";

struct FlushLine {
  static constexpr bool any = true;
  [[gnu::always_inline]] static void line(std::byte* at) noexcept { asm volatile("clflush %0" : "+m"(*at)); }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, FlushLine>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_clflush
