/// Scale, a[i] = s * b[i].
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::scale {
inline constexpr KernelInfo info{
    .name = "scale",
    .summary = "a[i] = s * b[i]",
    .source = "J. D. McCalpin, \"Memory Bandwidth and Machine Balance in Current High Performance Computers\", IEEE TCCA Newsletter, 1995",
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}},
    .flops = 8,
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    const auto s = V::broadcast(0.4);
    for (std::size_t v = 0; v < LINE; v += V::bytes)
      STORE::template put<V>(at[0] + v, V::multiply(s, V::reals(at[1] + v)));
  }
};
}  // namespace tierscope::kernels::scale
