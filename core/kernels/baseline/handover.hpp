/// Hand-over: two threads alternately write one line, so that it travels from core to core. The first writes 2k + 1 and
/// waits for 2k + 2, which the second writes as soon as it reads 2k + 1. One operation is one hand-over, one way: half
/// of a round trip. After a number of hand-overs, both continue with the next line, so that no single line's home
/// decides. A thread waits by reading in a loop without a pause, as locks do when they are in a hurry; hardware threads
/// of one core slow each other by it.
/// Blind to: differences between the two ways, which are averaged.
/// Source: D. Molka et al., "Cache Coherence Protocol and Memory Performance of the Intel Haswell-EP Architecture",
/// ICPP 2015 (lines that a core has modified, read by another); L. McVoy, C. Staelin, "lmbench: Portable Tools for
/// Performance Analysis", USENIX ATC 1996 (half of a round trip).
#pragma once
#include <atomic>

#include "kernels/kernel.hpp"

namespace tierscope::kernels::handover {
inline constexpr KernelInfo info{.name = "handover",
                                 .summary = "two threads write one line alternately",
                                 .source =
                                     "D. Molka et al., \"Cache Coherence Protocol and Memory Performance of the Intel "
                                     "Haswell-EP Architecture\", ICPP 2015",
                                 .check = Check::recomputed,
                                 .operands = {{{.lines = 1, .loads = true, .stores = true}}},
                                 .operation = "handover",
                                 .program_bytes = 8,
                                 .bus_bytes = 64};
inline constexpr std::string_view isa = "scalar";

constexpr std::uint64_t ON_ONE_LINE = 512;  // hand-overs: about 50 us, long after the line has found its place
constexpr std::uint64_t PATIENCE = 10'000;  // reads without an answer, about 10 us: the partner may have ended

/// `cursor` counts hand-overs from the start of the content, `nodes` are the lines, `element` bytes each, `state` is 0
/// for the first thread.
inline std::atomic_ref<std::uint64_t> line(const Pass& pass) noexcept {
  const auto number = pass.cursor / ON_ONE_LINE % pass.nodes;
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(pass.operand[0] + number * pass.element));
}

/// Run the first thread: as many hand-overs as requested, rounded up to whole round trips.
inline void ask(Pass& pass) noexcept {
  for (std::uint64_t done = 0; done < pass.repeats; done += 2, pass.cursor += 2) {
    auto token = line(pass);
    token.store(pass.cursor + 1, std::memory_order_release);
    while (token.load(std::memory_order_acquire) != pass.cursor + 2) {
    }
  }
}

/// Run the second thread: answer until no request comes for a while, or after `repeats` answers.
inline void answer(Pass& pass) noexcept {
  for (std::uint64_t done = 0, waited = 0; done < pass.repeats && waited < PATIENCE;) {
    auto token = line(pass);
    if (token.load(std::memory_order_acquire) != pass.cursor + 1) {
      ++waited;
      continue;
    }
    token.store(pass.cursor + 2, std::memory_order_release);
    pass.cursor += 2;
    done += 2;
    waited = 0;
  }
}

inline std::uint64_t pass(Pass& pass) noexcept {
  pass.state == 0 ? ask(pass) : answer(pass);
  return 0;
}
/// Both threads count, and every line ends with its last number; bench/tasks/handover.cpp compares them.
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::handover
