/// What lines left, against scalar code. Most kernels write a function of operands that they leave alone, so scalar
/// code run once more on a copy must change nothing; the destination held other random bits before, so a line that was
/// never written shows. For those that update what they read, see bench/first_content.hpp.
#pragma once
#include "bench/group.hpp"

namespace tierscope {

/// The largest relative difference; samples up to 64 windows of the member's slice.
double verify_lines(const Group& group, const Member& member);
/// Puts random reals into one line of every page of the operands that are stored to.
void stir_operands(const Group& group, const Member& member) noexcept;

}  // namespace tierscope
