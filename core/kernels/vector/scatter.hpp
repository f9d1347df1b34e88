/// Scatter, a[c[i]] = b[i]: writes at the places in an array of 64-bit indices. The indices of a thread are a
/// permutation of the elements of its slice, so each element is written once in a pass, by one thread. AVX2 has no such
/// instruction and stores one element after the other. Bus bytes assume that each element is in a line of its own that
/// is read and written.
/// Blind to: elements of one line that are written while a cache still has it, which reduce the bus bytes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::scatter {
inline constexpr KernelInfo info{
    .name = "scatter",
    .summary = "a[c[i]] = b[i]",
    .source = "P. Lavin et al., \"Evaluating Gather and Scatter Performance on CPUs and GPUs\", MEMSYS 2020 (Spatter)",
    .check = Check::replayed,
    .operands = {{{.lines = 1, .stores = true, .place = Place::indexed},
                  {.lines = 1, .loads = true},
                  {.lines = 1, .loads = true, .holds = Holds::indices}}},
    .store = Store::plain};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  /// `store` loads the indices again, from the first-level cache: a line of both in registers would need twice as many.
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load(const State<V>&, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) { return V::reals(at[1] + v); });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    unrolled<LINE / V::bytes>([&](auto v) __attribute__((always_inline)) {
      V::scatter(at[0], V::words(at[2] + v * V::bytes), line.part[v]);
    });
  }
};
}  // namespace tierscope::kernels::scatter
