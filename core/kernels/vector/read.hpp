/// Read: every 8 bytes of a are loaded and added up, in eight sums so that no add waits for another.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::read {
inline constexpr KernelInfo info{.name = "read",
                                 .summary = "sum of 64-bit words, loads only",
                                 .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .sums = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static Nothing load(State<V>& state, const At& at) noexcept {
    sum_lines<V, I, 1>(state, at[0]);
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At&, Nothing) noexcept {}
};
}  // namespace tierscope::kernels::read
