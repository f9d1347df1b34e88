/// Write, a[i] = s: stores only. A plain store first reads the line for ownership, so the bus carries twice the bytes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::write {
inline constexpr KernelInfo info{
    .name = "write",
    .summary = "a constant into every word, stores only",
    .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
    .operands = {{{.lines = 1, .stores = true}}},
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    const auto s = V::broadcast(1.6180339887498949);  // all 52 bits in use: no zero page, no easy compression
    for (std::size_t v = 0; v < LINE; v += V::bytes) STORE::template put<V>(at[0] + v, s);
  }
};
}  // namespace tierscope::kernels::write
