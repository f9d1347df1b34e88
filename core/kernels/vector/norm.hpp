/// Square of a norm, s += a[i] * a[i]: one stream of loads, a multiplication and an addition for each real. The root
/// that makes it a norm is taken once and is left out. Blind to: the order of the terms, which differs from ISA to ISA;
/// the check allows only differences of rounding.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::norm {
inline constexpr KernelInfo info{.name = "norm",
                                 .summary = "s += a[i] * a[i], the square of a norm",
                                 .source =
                                     "C. L. Lawson, R. J. Hanson, D. R. Kincaid, F. T. Krogh, \"Basic Linear Algebra "
                                     "Subprograms for Fortran Usage\", "
                                     "ACM TOMS 1979",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .flops = 16,
                                 .reduces = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static Nothing load(State<V>& state, const At& at) noexcept {
    reduce_line<V, I>(state, [&](std::size_t v) __attribute__((always_inline)) {
      const auto real = V::reals(at[0] + v);
      return V::multiply(real, real);
    });
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At&, Nothing) noexcept {}
};
}  // namespace tierscope::kernels::norm
