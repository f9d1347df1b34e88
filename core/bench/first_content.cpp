#include "bench/first_content.hpp"

#include <algorithm>
#include <cstring>

#include "bench/group.hpp"

namespace tierscope {
namespace {

using kernels::LINE;
using kernels::OPERANDS;

constexpr std::uint64_t WORK = 1U << 24U;  // most operations of scalar code, a tenth of a second of them;
constexpr std::uint64_t LEAST = 8;         // but at least 8 lines are checked: that takes at most as long as the blocks

/// Runs scalar code on one window, from its first content on. ahead: the first operations of the slice, which had one
/// pass more than the others.
double verify_window(const Group& group, const Member& member, std::size_t window, std::uint64_t count,
                     std::uint64_t passes, std::uint64_t ahead) {
  const auto& info = *group.entry->info;
  const auto& first = member.first;
  const auto begin = first.places[window];
  std::vector<CacheLine> copies[OPERANDS];
  kernels::Pass scalar = member.pass;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto lines = info.operands[k].lines;
    if (lines == 0) continue;
    copies[k].resize(count * lines);
    const auto* from = info.operands[k].stores ? first.lines[k][window * first.count * lines].bytes
                                               : member.pass.operand[k] + begin * lines * LINE;
    std::memcpy(copies[k].data(), from, count * lines * LINE);
    scalar.operand[k] = copies[k].front().bytes;
  }
  const auto run = [&](std::uint64_t end, std::uint64_t repeats) {
    scalar.begin = 0;
    scalar.end = end;
    scalar.repeats = repeats;
    if (end > 0 && repeats > 0) group.entry->reference()(scalar);
  };
  const auto offset = begin - member.begin;
  run(count, passes);
  run(std::min(std::max(ahead, offset) - offset, count), 1);
  double largest = 0;
  for (std::size_t k = 0; k < OPERANDS; ++k)
    if (info.operands[k].stores)
      largest = std::max(
          largest, difference(copies[k].front().bytes, member.pass.operand[k] + begin * info.operands[k].lines * LINE,
                              count * info.operands[k].lines * LINE));
  return largest;
}

}  // namespace

void remember_windows(Group& group, std::size_t number) {
  auto& member = group.members[number];
  const auto slice = member.end - member.begin;
  FirstContent first;
  first.count = std::min(slice, WINDOW_OPERATIONS);
  const auto windows = std::min(WINDOWS, (slice + first.count - 1) / first.count);
  for (std::uint64_t w = 0; w < windows; ++w)
    first.places.push_back(member.begin + (windows == 1 ? 0 : (slice - first.count) * w / (windows - 1)));
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto& operand = group.entry->info->operands[k];
    if (!operand.stores) continue;
    const auto lines = first.count * operand.lines;
    first.lines[k].resize(windows * lines);
    for (std::uint64_t w = 0; w < windows; ++w)
      std::memcpy(first.lines[k][w * lines].bytes, member.pass.operand[k] + first.places[w] * operand.lines * LINE,
                  lines * LINE);
  }
  member.first = std::move(first);
}

double verify_updated(const Group& group, const Member& member) {
  const auto& first = member.first;
  if (first.places.empty()) return WRONG;
  const auto slice = member.end - member.begin;
  const auto passes = member.done / slice, ahead = member.done % slice;
  const auto kept = first.places.size() * first.count;
  const auto most = std::min(std::max(WORK / (passes + 1), LEAST), kept);
  const auto windows = std::min<std::uint64_t>(first.places.size(), most);
  const auto count = std::min(first.count, most / windows);
  double largest = 0;
  for (std::uint64_t w = 0; w < windows; ++w) {
    const auto window = windows == 1 ? 0 : (first.places.size() - 1) * w / (windows - 1);
    largest = std::max(largest, verify_window(group, member, window, count, passes, ahead));
  }
  return largest;
}

}  // namespace tierscope
