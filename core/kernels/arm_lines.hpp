/// Cache maintenance by address on AArch64: one instruction for each smallest line of a cache (CTR_EL0.DminLine). This
/// line may be shorter than, as long as, or longer than the LINE that kernels store at a time.
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", CTR_EL0, DC CIVAC, CVAC, CVAP, CVADP.
#pragma once
#include "base/cpuid.hpp"
#include "kernels/flush.hpp"

namespace tierscope::kernels::arm {

/// Return the bytes from one flush of a pass to the next.
inline std::size_t flushed_bytes() noexcept { return std::max(LINE, cpu::line_bytes()); }

/// Call `clean(at)` for each smallest line of the LINE at `line`; once if the smallest is longer.
template <class Clean>
[[gnu::always_inline]] inline void each(std::byte* line, Clean clean) noexcept {
  const auto step = cpu::line_bytes();
  for (std::size_t off = 0; off < LINE; off += step) clean(line + off);
}

}  // namespace tierscope::kernels::arm
