/// Stores of whole lines by MOVDIR64B, past the caches: nothing is left to flush.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::flush_movdir64b {
inline constexpr KernelInfo info =
    flush::info_of("flush_movdir64b", "MOVDIR64B of each line", Store::direct, "movdir64b");
inline constexpr std::string_view isa = "scalar";

struct Store64 {
  [[gnu::always_inline]] static void put(std::byte* line, lines::Part value) noexcept {
    alignas(LINE) lines::Part whole[lines::PARTS]{value, value, value, value};
    asm volatile("movdir64b %1, %0" : : "r"(line), "m"(*reinterpret_cast<const char(*)[LINE]>(&whole)) : "memory");
  }
};

inline std::uint64_t pass(Pass& pass) noexcept { return flush::pass<Store64, flush::Nothing>(pass); }
/// bench/tasks/block_check.cpp knows the content of every block.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::flush_movdir64b
