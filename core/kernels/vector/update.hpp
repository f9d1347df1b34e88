/// Update, a[i] = s * a[i] with s = 1 to the last bit kept: loads and stores the same line, so no read for ownership is extra.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::update {
inline constexpr KernelInfo info{
    .name = "update",
    .summary = "a[i] = a[i] in place, load and store of the same line",
    .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
    .operands = {{{.lines = 1, .loads = true, .stores = true}}},
    .flops = 8,
    .store = Store::plain};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    const auto s = V::broadcast(1.0);  // the product is a[i] itself: any number of passes leaves the same bytes
    for (std::size_t v = 0; v < LINE; v += V::bytes)
      STORE::template put<V>(at[0] + v, V::multiply(s, V::reals(at[0] + v)));
  }
};
}  // namespace tierscope::kernels::update
