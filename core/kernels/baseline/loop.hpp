/// Loop: iterations of a generated loop of instructions (core/loops/): loads along chains of pointers, with a number of
/// fillers between them. The keys of its task alone determine one iteration.
/// Blind to: its own steps, which it cannot state: they are in core/loops/steps.hpp.
/// Source: H. Wong, "Measuring Reorder Buffer Capacity", 2013.
#pragma once
#include "kernels/generated.hpp"
#include "kernels/kernel.hpp"

namespace tierscope::kernels::loop {
inline constexpr KernelInfo info{.name = "loop",
                                 .summary = "a loop of generated instructions, which probes the core itself",
                                 .source = "H. Wong, \"Measuring Reorder Buffer Capacity\", 2013",
                                 .check = Check::recomputed,
                                 .operands = {{{.lines = 1, .loads = true}}},
                                 .content = Content::cycle,
                                 .operation = "loop"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept { return run_generated(pass); }
/// Its final state is known in closed form; bench/tasks/loop.cpp compares it.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::loop
