/// Daxpy, y[i] += s * x[i], of BLAS level 1. It also reads y, so no read for ownership is extra and there is no
/// non-temporal form. s, there called alpha, is 1/2. The product is therefore exact, and a fused and a separate
/// rounding leave the same bits after any number of passes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::daxpy {
inline constexpr KernelInfo info{
    .name = "daxpy",
    .summary = "y[i] += s * x[i]",
    .source = "C. L. Lawson et al., \"Basic Linear Algebra Subprograms for Fortran Usage\", ACM TOMS 5, 1979",
    .check = Check::recomputed,
    .operands = {{{.lines = 1, .loads = true, .stores = true}, {.lines = 1, .loads = true}}},
    .flops = 16,
    .store = Store::plain};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = 0.5;
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load([[maybe_unused]] const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) {
      return V::multiply_add(state.factor, V::reals(at[1] + v), V::reals(at[0] + v));
    });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::daxpy
