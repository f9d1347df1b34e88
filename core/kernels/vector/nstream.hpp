/// Nstream, a[i] += b[i] + s * c[i]: triad on an array that is also read, so no read for ownership is extra and there
/// is no non-temporal form. s is 1/2 instead of the source's 3. The product is therefore exact, and a fused and a
/// separate rounding leave the same bits after any number of passes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::nstream {
inline constexpr KernelInfo info{
    .name = "nstream",
    .summary = "a[i] += b[i] + s * c[i]",
    .source = "R. F. Van der Wijngaart, T. G. Mattson, \"The Parallel Research Kernels\", HPEC 2014",
    .check = Check::recomputed,
    .operands = {{{.lines = 1, .loads = true, .stores = true},
                  {.lines = 1, .loads = true},
                  {.lines = 1, .loads = true}}},
    .flops = 24,
    .store = Store::plain};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = 0.5;
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load([[maybe_unused]] const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) {
      return V::add(V::reals(at[0] + v), V::multiply_add(state.factor, V::reals(at[2] + v), V::reals(at[1] + v)));
    });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::nstream
