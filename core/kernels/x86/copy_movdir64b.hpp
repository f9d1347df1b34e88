/// Copy with MOVDIR64B: 64 bytes from memory to memory as one direct store, no read for ownership.
/// Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2, MOVDIR64B.
#pragma once
#include "isa/scalar.hpp"
#include "kernels/bytes.hpp"
#include "kernels/walk.hpp"

namespace tierscope::kernels::copy_movdir64b {
inline constexpr KernelInfo info{
    .name = "copy_movdir64b",
    .summary = "64-byte direct stores, memory to memory",
    .source = "Intel, \"64 and IA-32 Architectures Software Developer's Manual\", volume 2",
    .check = Check::replayed,
    .operands = bytes::COPIED,
    .store = Store::direct,
    .needs = "movdir64b"};
inline constexpr std::string_view isa = "scalar";

struct Direct {
  static constexpr Store kind = Store::direct;
};

struct Kernel : Walked<info, Direct> {
  template <std::size_t>
  [[gnu::always_inline]] static Nothing load(const State<isa::Scalar>&, const At&) noexcept {
    return {};
  }
  [[gnu::always_inline]] static void store(const State<isa::Scalar>&, const At& at, Nothing) noexcept {
    asm volatile("movdir64b (%1), %0" : : "r"(at[0]), "r"(at[1]) : "memory");
  }
};

inline constexpr auto table =
    variants<Kernel, isa::Scalar>(std::make_index_sequence<layout_count<Kernel>() * prefetch_modes<Kernel>()>{});
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::copy_reference(pass); }
}  // namespace tierscope::kernels::copy_movdir64b
