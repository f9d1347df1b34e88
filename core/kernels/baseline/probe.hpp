/// Probe: dependent loads at uniform random nodes (drawn again for each load, not one cycle). A cache that contains the
/// share h of the footprint then hits with probability h whatever its replacement policy, whereas a cycle can hit
/// always or never.
/// The next address needs the value of the last load and three multiplications, about 12 cycles. To separate the two,
/// compare with the chase on a footprint in the first-level cache.
/// Source: A. Jaleel et al., "High Performance Cache Replacement Using Re-Reference Interval Prediction", ISCA 2010
/// (cyclic access patterns thrash or not by policy).
#pragma once
#include "base/random.hpp"
#include "kernels/kernel.hpp"

namespace tierscope::kernels::probe {
inline constexpr KernelInfo info{.name = "probe",
                                 .summary = "dependent loads at uniform random places",
                                 .source =
                                     "A. Jaleel et al., \"High Performance Cache Replacement Using Re-Reference "
                                     "Interval Prediction\", ISCA 2010",
                                 .check = Check::replayed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .content = Content::cycle,
                                 .operation = "hop",
                                 .drawn = true,
                                 .program_bytes = 8,
                                 .bus_bytes = 64};
inline constexpr std::string_view isa = "scalar";

/// The node is the high half of state * nodes: uniform without a division (D. Lemire, "Fast Random Integer
/// Generation in an Interval", ACM TOMACS 2019). The loaded pointer enters the state, so no load starts early.
inline std::uint64_t pass(Pass& pass) noexcept {
  std::uint64_t state = pass.state;
  const auto* base = pass.operand[0];
  for (std::uint64_t i = 0; i < pass.repeats; ++i) {
    const auto node = static_cast<std::uint64_t>((static_cast<unsigned __int128>(state) * pass.nodes) >> 64U);
    const auto loaded = *reinterpret_cast<const volatile std::uint64_t*>(base + node * pass.element);
    state = (state + loaded) * 0xD1342543DE82EF95U + 0x9E3779B97F4A7C15U;
  }
  pass.state = state;
  return state;
}
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::probe
