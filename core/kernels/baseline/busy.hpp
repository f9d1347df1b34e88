/// Busy: additions in registers, in eight independent chains: in each cycle as many as a core has units for, and
/// nothing else. Two hardware threads of one core share these units, so each takes twice as long with the other as
/// alone. Two cores share nothing that it needs. Eight chains fill the units of every core sold, which have six at
/// most. Source: A. Fog, "Instruction tables", 2022 (latency and throughput of ADD); D. M. Tullsen, S. J. Eggers, H. M.
/// Levy, "Simultaneous Multithreading: Maximizing On-Chip Parallelism", ISCA 1995.
#pragma once
#include "kernels/kernel.hpp"
#include "kernels/walk.hpp"

namespace tierscope::kernels::busy {
inline constexpr KernelInfo info{.name = "busy",
                                 .summary = "additions in registers, which fill a core and touch no memory",
                                 .source = "A. Fog, Instruction tables, 2022",
                                 .check = Check::none,
                                 .unchecked = "it moves no bytes",
                                 .content = Content::nothing,
                                 .operation = "call"};
inline constexpr std::string_view isa = "scalar";
constexpr std::size_t CHAINS = 8, STEPS = 8;  // 64 additions of one call: the loop around them costs under 3 %

inline std::uint64_t pass(Pass& pass) noexcept {
  std::uint64_t sum[CHAINS]{}, step = 1;
  asm volatile("" : "+r"(step));  // a number that the compiler does not know
  for (std::uint64_t i = 0; i < pass.repeats; ++i)
    unrolled<STEPS * CHAINS>([&](auto n) __attribute__((always_inline)) {
      auto& own = sum[n % CHAINS];
      own += step;
      asm volatile("" : "+r"(own));  // each of them is done, and in a register
    });
  return 0;
}
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::busy
