/// Cache maintenance by address on AArch64, for one LINE of 64 bytes: several instructions where the smallest line of a
/// cache is shorter (CTR_EL0.DminLine), one where it is longer, which then repeats the line's neighbour.
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", CTR_EL0, DC CIVAC, CVAC, CVAP, CVADP.
#pragma once
#include "kernels/flush.hpp"

namespace tierscope::kernels::arm {

/// Bytes of the smallest data cache line of all cores.
inline std::size_t smallest_line() noexcept {
  static const std::size_t bytes = [] {
    std::uint64_t ctr = 0;
    asm("mrs %0, ctr_el0" : "=r"(ctr));
    return std::size_t{4} << (ctr >> 16U & 0xFU);
  }();
  return bytes;
}

/// `clean(at)` for each smallest line of the 64 bytes at `line`.
template <class Clean>
[[gnu::always_inline]] inline void each(std::byte* line, Clean clean) noexcept {
  const auto step = smallest_line();
  for (std::size_t off = 0; off < LINE; off += step) clean(line + off);
}

}  // namespace tierscope::kernels::arm
