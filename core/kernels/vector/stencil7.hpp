/// Stencil of 7 points in three dimensions: the mean of each element and its six neighbours.
/// Bytes count each element once, as if all of its neighbours came from a cache. This is true while a cache has space
/// for the planes between them (`row=`). Edges wrap into the next plane.
/// Blind to: lines that are loaded again because the cache is too small; only a counter shows those.
#pragma once
#include "kernels/stencil.hpp"

namespace tierscope::kernels::stencil7 {
inline constexpr KernelInfo info{
    .name = "stencil7",
    .summary =
        "a[k][j][i] = s * (b[k][j][i] + b[k][j][i-1] + b[k][j][i+1] + b[k][j-1][i] + b[k][j+1][i] + "
        "b[k-1][j][i] + b[k+1][j][i])",
    .source =
        "K. Datta et al., \"Stencil Computation Optimization and Auto-tuning on State-of-the-Art Multicore "
        "Architectures\", SC 2008",
    .check = Check::replayed,
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true, .place = Place::grid3}}},
    .flops = 56,
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = 1.0 / 7;
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load(const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) {
      return V::multiply(state.factor, neighbours<V, true>(state, at[1] + v));
    });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::stencil7
