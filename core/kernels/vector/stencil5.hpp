/// Stencil of 5 points in two dimensions: the mean of each element and its four neighbours.
/// Bytes count each element once, as if all of its neighbours came from a cache. This is true while a cache has space
/// for the rows between them (`row=`). Edges wrap into the next row.
/// Blind to: lines that are loaded again because the cache is too small; only a counter shows those.
#pragma once
#include "kernels/stencil.hpp"

namespace tierscope::kernels::stencil5 {
inline constexpr KernelInfo info{
    .name = "stencil5",
    .summary = "a[j][i] = s * (b[j][i] + b[j][i-1] + b[j][i+1] + b[j-1][i] + b[j+1][i])",
    .source =
        "K. Datta et al., \"Stencil Computation Optimization and Auto-tuning on State-of-the-Art Multicore "
        "Architectures\", SC 2008",
    .check = Check::replayed,
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true, .place = Place::grid2}}},
    .flops = 40,
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = 1.0 / 5;
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load(const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) {
      return V::multiply(state.factor, neighbours<V, false>(state, at[1] + v));
    });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::stencil5
