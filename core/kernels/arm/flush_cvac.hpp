/// Stores of blocks, each line written back to the point of coherency by DC CVAC, which may leave it in the cache.
#pragma once
#include "kernels/arm_lines.hpp"

namespace tierscope::kernels::flush_cvac {
inline constexpr KernelInfo info =
    flush::info_of("flush_cvac", "stores of blocks, then DC CVAC of each line", Store::plain, "cvac", Flush::cvac);
inline constexpr std::string_view isa = "scalar";

struct FlushLine {
  static constexpr bool any = true;
  static std::size_t bytes() noexcept { return arm::flushed_bytes(); }
  [[gnu::always_inline]] static void line(std::byte* at) noexcept {
    arm::each(at, [](std::byte* part) { asm volatile("dc cvac, %0" : : "r"(part) : "memory"); });
  }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, FlushLine>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_cvac
