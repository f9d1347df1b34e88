/// Write, a[i] = s: stores only. A plain store first reads the line for ownership, so the bus carries twice the bytes.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::write {
inline constexpr KernelInfo info{.name = "write",
                                 .summary = "a constant into every word, stores only",
                                 .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .stores = true}}},
                                 .store = Store::plain,
                                 .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = 1.6180339887498949;  // all 52 bits in use: no zero page, no easy compression
  template <std::size_t>
  [[gnu::always_inline]] static Nothing load(const State<V>&, const At&) noexcept {
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>& state, const At& at, Nothing) noexcept {
    put<V, STORE>(at[0], vectors<V>([&](std::size_t) __attribute__((always_inline)) { return state.factor; }));
  }
};
}  // namespace tierscope::kernels::write
