/// Gather, a[i] = b[c[i]]: reads at the places in an array of 64-bit indices. The indices of a thread are a permutation
/// of the elements of its slice, so each element is read once in a pass. The scalar and vector forms request the same
/// bytes. Bus bytes assume that each element is in a line of its own. Blind to: elements of one line that are read
/// while a cache still has it, which reduce the bus bytes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::gather {
inline constexpr KernelInfo info{
    .name = "gather",
    .summary = "a[i] = b[c[i]]",
    .source = "P. Lavin et al., \"Evaluating Gather and Scatter Performance on CPUs and GPUs\", MEMSYS 2020 (Spatter)",
    .check = Check::replayed,
    .operands = {{{.lines = 1, .stores = true},
                  {.lines = 1, .loads = true, .place = Place::indexed},
                  {.lines = 1, .loads = true, .holds = Holds::indices}}},
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load(const State<V>&, const At& at) noexcept {
    return vectors<V>([&](std::size_t v)
                          __attribute__((always_inline)) { return V::gather(at[1], V::words(at[2] + v)); });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::gather
