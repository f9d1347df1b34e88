/// Scalar product, s += a[i] * b[i]: two streams of loads and no store.
/// Blind to: the order of the terms, which differs from ISA to ISA; the check allows only differences of rounding.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::dot {
inline constexpr KernelInfo info{
    .name = "dot",
    .summary = "s += a[i] * b[i]",
    .source =
        "T. Deakin, J. Price, M. Martineau, S. McIntosh-Smith, \"GPU-STREAM v2.0\", ISC High Performance Workshops, "
        "2016",
    .check = Check::replayed,
    .operands = {{{.lines = 1, .loads = true}, {.lines = 1, .loads = true}}},
    .flops = 16,
    .reduces = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static Nothing load(State<V>& state, const At& at) noexcept {
    reduce_line<V, I>(state, [&](std::size_t v) __attribute__((always_inline)) {
      return V::multiply(V::reals(at[0] + v), V::reals(at[1] + v));
    });
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At&, Nothing) noexcept {}
};
}  // namespace tierscope::kernels::dot
