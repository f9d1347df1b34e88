/// Stores of blocks, each line flushed by CLFLUSHOPT, which need not wait for another line.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_clflushopt {
inline constexpr KernelInfo info = flush::info_of("flush_clflushopt", "stores of blocks, then CLFLUSHOPT of each line",
                                                  Store::plain, "clflushopt", Flush::clflushopt);
inline constexpr std::string_view isa = "scalar";

struct FlushLine {
  static constexpr bool any = true;
  [[gnu::always_inline]] static void line(std::byte* at) noexcept { asm volatile("clflushopt %0" : "+m"(*at)); }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, FlushLine>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_clflushopt
