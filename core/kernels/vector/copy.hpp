/// Copy, a[i] = b[i]. The program's bytes do not include the read for ownership of a[i], as in STREAM.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::copy {
inline constexpr KernelInfo info{.name = "copy",
                                 .summary = "a[i] = b[i]",
                                 .source =
                                     "J. D. McCalpin, \"Memory Bandwidth and Machine Balance in Current High "
                                     "Performance Computers\", IEEE TCCA Newsletter, 1995",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}},
                                 .store = Store::plain,
                                 .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load([[maybe_unused]] const State<V>& state, const At& at) noexcept {
    return vectors<V>([&](std::size_t v) __attribute__((always_inline)) { return V::reals(at[1] + v); });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::copy
