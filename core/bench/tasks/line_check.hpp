/// Checks the results of lines against scalar code. Most kernels write a function of operands that they do not change.
/// Scalar code that runs once more on a copy must then change nothing. The destination contained other random bits
/// before, so the check finds a line that was never written. For kernels that update what they read, see
/// bench/first_content.hpp.
#pragma once
#include "bench/group.hpp"

namespace tierscope {

/// Returns the largest relative difference; samples up to 64 windows of the member's slice.
double verify_lines(const Group& group, const Member& member);
/// Puts random reals into one line of every page of the operands that are stored to.
void stir_operands(const Group& group, const Member& member) noexcept;

}  // namespace tierscope
