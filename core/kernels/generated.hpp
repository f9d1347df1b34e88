/// The pass of a kernel whose instructions are generated (core/loops/): `state` is the address of the function, operand
/// 3 its frame. Iterations are counted down, so 0 is not a valid number. The task compares the final state.
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::kernels {

inline std::uint64_t run_generated(Pass& pass) noexcept {
  using Function = void (*)(std::byte*, std::uint64_t);
  if (pass.repeats > 0) reinterpret_cast<Function>(pass.state)(pass.operand[3], pass.repeats);
  return 0;
}

}  // namespace tierscope::kernels
