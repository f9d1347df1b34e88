/// Mixed traffic: of every R + W lines, R are read from one array and W written to another, so that plain
/// stores pay their read for ownership and non-temporal ones do not. The share counts the program's lines.
/// Blind to: what a program does that reads and writes the same line (that is `update`).
/// Source: Intel, "Memory Latency Checker" user guide (loaded latency over read:write mixes);
/// P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::mix {

constexpr KernelInfo info_of(std::string_view name, std::string_view summary, unsigned reads, unsigned writes) {
  return {.name = name,
          .summary = summary,
          .source = "P. Esmaili-Dokht et al., \"A Mess of Memory System Benchmarking, Simulation and Application "
                    "Profiling\", MICRO 2024",
          .operands = {{{.lines = writes, .stores = true}, {.lines = reads, .loads = true}}},
          .store = Store::plain,
          .sums = true,
          .has_nt = true};
}

template <class V, class STORE, const KernelInfo& INFO>
struct Mix : Walked<INFO, STORE> {
  template <std::size_t I>
  [[gnu::always_inline]] static void line(State<V>& state, std::byte* const* at) noexcept {
    constexpr std::size_t per_line = LINE / V::bytes;
    for (std::size_t v = 0; v < INFO.operands[1].lines * per_line; ++v) {
      auto& sum = state.sum[(I * per_line + v) % ACCUMULATORS];
      sum = V::add(sum, V::words(at[1] + v * V::bytes));
    }
    const auto s = V::broadcast(1.6180339887498949);
    for (std::size_t v = 0; v < INFO.operands[0].lines * per_line; ++v)
      STORE::template put<V>(at[0] + v * V::bytes, s);
  }
};

}  // namespace tierscope::kernels::mix
