/// Sleep: the system's own sleep of 100 us, repeatedly. The control of an experiment on neighbours: it occupies a CPU
/// but uses none of its time, so a victim next to it must be as fast as alone. The system call is what is measured
/// here.
#pragma once
#include <ctime>

#include "kernels/kernel.hpp"

namespace tierscope::kernels::sleep {
inline constexpr KernelInfo info{.name = "sleep",
                                 .summary = "sleeps of 100 us: a neighbour that does nothing",
                                 .source = "POSIX.1-2017, clock_nanosleep",
                                 .check = Check::none,
                                 .unchecked = "it moves no bytes",
                                 .content = Content::nothing,
                                 .operation = "call",
                                 .wait = Wait::time};
inline constexpr std::string_view isa = "scalar";
constexpr long NANOSECONDS = 100'000;

inline std::uint64_t pass(Pass& pass) noexcept {
  constexpr timespec shortly{0, NANOSECONDS};
  for (std::uint64_t i = 0; i < pass.repeats; ++i) clock_nanosleep(CLOCK_MONOTONIC, 0, &shortly, nullptr);
  return 0;
}
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::sleep
