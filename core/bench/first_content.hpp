/// Keeps windows of a slice from before the blocks. The answer of a kernel that updates what it reads cannot be
/// replayed on the changed memory; it follows from the first content and the number of passes.
/// The check repeats the passes with scalar code, one after the other. This works for any kernel whose operations do
/// not depend on one another. Its results must not depend on whether a multiply-add rounds once or twice, because the
/// differences would add up over the passes.
/// Blind to: stores between the windows; in a slice with very many passes, stores to all but a few lines.
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
  std::array<std::vector<CacheLine>, kernels::OPERANDS> lines;  // of operands that the kernel stores to, by window
};

/// Keeps the member's windows unchanged, for a kernel that updates what it reads; to be called before its blocks.
void remember_windows(Group& group, std::size_t member);
/// Returns the largest relative difference between the windows and the result of as many passes of scalar code;
/// infinity if no windows were kept.
double verify_updated(const Group& group, const Member& member);

}  // namespace tierscope
