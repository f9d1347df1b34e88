/// Triad, a[i] = b[i] + s * c[i]: the STREAM kernel closest to real solvers.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::triad {
inline constexpr KernelInfo info{
    .name = "triad",
    .summary = "a[i] = b[i] + s * c[i]",
    .source = "J. D. McCalpin, \"Memory Bandwidth and Machine Balance in Current High Performance Computers\", IEEE TCCA Newsletter, 1995",
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}, {.lines = 1, .loads = true}}},
    .flops = 16,
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    const auto s = V::broadcast(0.4);
    for (std::size_t v = 0; v < LINE; v += V::bytes)
      STORE::template put<V>(at[0] + v, V::multiply_add(s, V::reals(at[2] + v), V::reals(at[1] + v)));
  }
};
}  // namespace tierscope::kernels::triad
