/// Sum of reals, s += a[i], in eight sums so that no add waits for another: the traffic of `read`, with an add of
/// reals.
/// Blind to: the order of the terms, which differs from ISA to ISA; the check allows only differences of rounding.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::sum {
inline constexpr KernelInfo info{.name = "sum",
                                 .summary = "s += a[i], a sum of reals",
                                 .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .flops = 8,
                                 .reduces = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static Nothing load(State<V>& state, const At& at) noexcept {
    reduce_line<V, I>(state, [&](std::size_t v) __attribute__((always_inline)) { return V::reals(at[0] + v); });
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At&, Nothing) noexcept {}
};
}  // namespace tierscope::kernels::sum
