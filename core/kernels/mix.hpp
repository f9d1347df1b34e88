/// Mixed traffic: of every R + W lines, R are read from one array and W written to another, so that plain stores pay
/// their read for ownership and non-temporal ones do not. The share counts the program's lines.
/// Blind to: a program that reads and writes the same line (that is `update`).
/// Source: Intel, "Memory Latency Checker" user guide (loaded latency over read:write mixes);
/// P. Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::mix {

constexpr KernelInfo info_of(std::string_view name, std::string_view summary, unsigned reads, unsigned writes) {
  return {.name = name,
          .summary = summary,
          .source =
              "P. Esmaili-Dokht et al., \"A Mess of Memory System Benchmarking, Simulation and Application "
              "Profiling\", MICRO 2024",
          .check = Check::replayed,
          .operands = {{{.lines = writes, .stores = true}, {.lines = reads, .loads = true}}},
          .store = Store::plain,
          .sums = true,
          .has_nt = true};
}

template <class V, class STORE, const KernelInfo& INFO>
struct Mix : Walked<INFO, STORE> {
  static constexpr double factor = 1.6180339887498949;  // all 52 bits in use: no easy compression
  template <std::size_t I>
  [[gnu::always_inline]] static Nothing load(State<V>& state, const At& at) noexcept {
    sum_lines<V, I, INFO.operands[1].lines>(state, at[1]);
    return {};
  }
  [[gnu::always_inline]] static void store(const State<V>& state, const At& at, Nothing) noexcept {
    const auto line = vectors<V>([&](std::size_t) __attribute__((always_inline)) { return state.factor; });
    unrolled<INFO.operands[0].lines>([&](auto l)
                                         __attribute__((always_inline)) { put<V, STORE>(at[0] + l * LINE, line); });
  }
};

}  // namespace tierscope::kernels::mix
