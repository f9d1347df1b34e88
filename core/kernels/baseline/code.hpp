/// Code: iterations of a generated loop of much code (core/loops/walk.hpp), which show how instructions come to a core.
/// The keys of its task alone determine the code.
/// Blind to: its own steps, which it cannot state: they are in core/loops/walk.hpp.
/// Source: G. Reinman, B. Calder, T. Austin, "Fetch Directed Instruction Prefetching", MICRO 1999.
#pragma once
#include "kernels/generated.hpp"
#include "kernels/kernel.hpp"

namespace tierscope::kernels::code {
inline constexpr KernelInfo info{.name = "code",
                                 .summary = "a loop of much generated code, which shows how instructions are fetched",
                                 .source = "G. Reinman et al., Fetch Directed Instruction Prefetching, MICRO 1999",
                                 .check = Check::recomputed,
                                 .content = Content::nothing,
                                 .operation = "code"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept { return run_generated(pass); }
/// Its final state is known in closed form; bench/tasks/code.cpp compares it.
inline std::uint64_t reference(Pass& p) noexcept { return pass(p); }
}  // namespace tierscope::kernels::code
