/// Read: every word of a is loaded and added up, in eight sums so that no add waits for another.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::read {
inline constexpr KernelInfo info{
    .name = "read",
    .summary = "sum of 64-bit words, loads only",
    .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
    .operands = {{{.lines = 1, .loads = true}}},
    .sums = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    for (std::size_t v = 0; v < LINE; v += V::bytes) {
      auto& sum = state.sum[(I * (LINE / V::bytes) + v / V::bytes) % ACCUMULATORS];
      sum = V::add(sum, V::words(at[0] + v));
    }
  }
};
}  // namespace tierscope::kernels::read
