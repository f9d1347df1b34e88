/// Stores of blocks, each line written back to the point of deep persistence by DC CVADP.
#pragma once
#include "kernels/arm_lines.hpp"

namespace tierscope::kernels::flush_cvadp {
inline constexpr KernelInfo info =
    flush::info_of("flush_cvadp", "stores of blocks, then DC CVADP of each line", Store::plain, "dcpodp", Flush::cvadp);
inline constexpr std::string_view isa = "scalar";

struct FlushLine {
  static constexpr bool any = true;
  static std::size_t bytes() noexcept { return arm::flushed_bytes(); }
  [[gnu::always_inline]] static void line(std::byte* at) noexcept {
    arm::each(at, [](std::byte* part) { asm volatile("sys #3, c7, c13, #1, %0" : : "r"(part) : "memory"); });
  }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<flush::Plain, FlushLine>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_cvadp
