#include "bench/tasks/line_check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/compare.hpp"

namespace tierscope {

using kernels::LINE;
using kernels::OPERANDS;
using kernels::Pass;

namespace {

/// Scalar code on a copy of operations [begin, begin + count).
double verify_window(const Group& group, const Member& member, std::uint64_t begin, std::uint64_t count) {
  const auto& info = *group.entry->info;
  std::vector<CacheLine> copies[OPERANDS];
  Pass scalar = member.pass;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto lines = info.operands[k].lines;
    if (lines == 0) continue;
    copies[k].resize(count * lines);
    std::memcpy(copies[k].data(), member.pass.operand[k] + begin * lines * LINE, count * lines * LINE);
    scalar.operand[k] = copies[k].front().bytes;
  }
  scalar.begin = 0;
  scalar.end = count;
  scalar.repeats = 1;
  const auto expected = group.entry->reference()(scalar);
  double largest = 0;
  for (std::size_t k = 0; k < OPERANDS; ++k)
    if (info.operands[k].stores)
      largest = std::max(
          largest, difference(copies[k].front().bytes, member.pass.operand[k] + begin * info.operands[k].lines * LINE,
                              count * info.operands[k].lines * LINE));
  Pass again = member.pass;
  again.begin = begin;
  again.end = begin + count;
  again.repeats = 1;
  if (info.sums && group.variant.function(again) != expected) return WRONG;
  return largest;
}

}  // namespace

double verify_lines(const Group& group, const Member& member) {
  const auto granule = group.variant.shape.granule();
  const auto covered = std::min(member.done, member.end - member.begin) / granule * granule;
  if (covered == 0) return 0;
  const auto count = std::min(covered, std::max<std::uint64_t>(WINDOW_OPERATIONS / granule, 1) * granule);
  const auto places = std::min(WINDOWS, (covered + count - 1) / count);  // a small slice is compared as a whole
  double largest = 0;
  for (std::uint64_t w = 0; w < places; ++w) {
    const auto last = (covered - count) / granule;
    const auto offset = (places == 1 ? 0 : last * w / (places - 1)) * granule;
    largest = std::max(largest, verify_window(group, member, member.begin + offset, count));
  }
  return largest;
}

}  // namespace tierscope
