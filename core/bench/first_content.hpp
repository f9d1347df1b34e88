/// Keeps windows of a slice as they were before the blocks. The answer of a kernel that updates what it reads cannot be
/// replayed on the changed memory; it follows from the first content and the number of passes.
/// The passes are repeated with scalar code, one after the other, so that any kernel will do whose operations do not
/// depend on one another. Its results must not depend on whether a multiply-add rounds once or twice: differences would
/// add up over the passes.
/// Blind to: what is stored between the windows; of a slice that is walked very often, to all but a few of its lines.
#pragma once
#include <array>
#include <vector>

#include "bench/compare.hpp"

namespace tierscope {

struct Group;
struct Member;

struct FirstContent {
  std::vector<std::uint64_t> places;                            // first operation of each window
  std::uint64_t count = 0;                                      // operations of each window
  std::array<std::vector<CacheLine>, kernels::OPERANDS> lines;  // of operands that are stored to, window after window
};

/// Keeps the member's windows as they are, for a kernel that updates what it reads; to be called before its blocks.
void remember_windows(Group& group, std::size_t member);
/// The largest relative difference between the windows and what as many passes of scalar code make of them; infinity
/// if nothing was remembered.
double verify_updated(const Group& group, const Member& member);

}  // namespace tierscope
