/// Copy, a[i] = b[i]. The read for ownership of a[i] is not among the program's bytes, as in STREAM.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::copy {
inline constexpr KernelInfo info{
    .name = "copy",
    .summary = "a[i] = b[i]",
    .source = "J. D. McCalpin, \"Memory Bandwidth and Machine Balance in Current High Performance Computers\", IEEE TCCA Newsletter, 1995",
    .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}},
    .store = Store::plain,
    .has_nt = true};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line([[maybe_unused]] State<V>& state, std::byte* const* at) noexcept {
    for (std::size_t v = 0; v < LINE; v += V::bytes) STORE::template put<V>(at[0] + v, V::reals(at[1] + v));
  }
};
}  // namespace tierscope::kernels::copy
