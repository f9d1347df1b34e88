/// Update, a[i] = s * a[i], loads and stores the same line, so no read for ownership is extra. s is -1: numbers keep
/// their size, and a line that a pass left out has the wrong sign.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::update {
inline constexpr KernelInfo info{.name = "update",
                                 .summary = "a[i] = s * a[i], in place",
                                 .source = "J. Treibig, G. Hager, G. Wellein, \"likwid-bench\", PARCO 2011",
                                 .check = Check::recomputed,
                                 .operands = {{{.lines = 1, .loads = true, .stores = true}}},
                                 .flops = 8,
                                 .store = Store::plain};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr double factor = -1.0;
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load([[maybe_unused]] const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v)
                          __attribute__((always_inline)) { return V::multiply(state.factor, V::reals(at[0] + v)); });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::update
