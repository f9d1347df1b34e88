/// The smallest kernel on vectors, a[i] = b[i] + b[i].
/// Copy this file to core/kernels/vector/NAME.hpp and give its namespace and its `name` the name of the file: the build
/// finds it, and combines it with every ISA. A kernel is written once, on the ISA concept (core/isa/isa.hpp).
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::skeleton {
/// The properties of the kernel: Python reads them from the catalogue.
inline constexpr KernelInfo info{
    .name = "skeleton",
    .summary = "a[i] = b[i] + b[i]",
    // Authors, title, venue, year.
    .source =
        "J. D. McCalpin, \"Memory Bandwidth and Machine Balance in Current High Performance Computers\", IEEE TCCA "
        "Newsletter, 1995",
    // How verification finds the right answer: see Check in kernels/kernel.hpp.
    .check = Check::replayed,
    // One entry for each array: the lines of it that one operation touches, and how. The traffic follows from it.
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}},
    .flops = 8,  // of one operation, which is a line of eight doubles
    .store = Store::plain,
    .has_nt = true};  // a second form, skeleton_nt, whose stores bypass the caches

/// `load` computes one line, `store` puts it where it belongs. The loop around them is in walk.hpp, with its streams,
/// its unrolling and its prefetches. Nothing here allocates, throws or calls the system.
template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t>
  [[gnu::always_inline]] static Vectors<V> load([[maybe_unused]] const State<V>& state, const At& at) noexcept {
    // at[0] is the first array's line, at[1] the second one's, in the order of the operands.
    return vectors<V>([&](std::size_t v)
                          __attribute__((always_inline)) { return V::add(V::reals(at[1] + v), V::reals(at[1] + v)); });
  }
  [[gnu::always_inline]] static void store(const State<V>&, const At& at, const Vectors<V>& line) noexcept {
    put<V, STORE>(at[0], line);
  }
};
}  // namespace tierscope::kernels::skeleton
