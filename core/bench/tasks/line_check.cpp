#include "bench/tasks/line_check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/compare.hpp"
#include "bench/tasks/line_numbers.hpp"
#include "kernels/places.hpp"

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
  group.entry->reference()(scalar);
  double largest = 0;
  for (std::size_t k = 0; k < OPERANDS; ++k)
    if (info.operands[k].stores)
      largest = std::max(
          largest, difference(copies[k].front().bytes, member.pass.operand[k] + begin * info.operands[k].lines * LINE,
                              count * info.operands[k].lines * LINE));
  return largest;
}

/// Returns the lines that operations [begin, begin + count) store, with their current content.
std::vector<CacheLine> stored_lines(const Group& group, const Member& member, std::uint64_t begin,
                                    std::uint64_t count) {
  std::vector<CacheLine> lines;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto& operand = group.entry->info->operands[k];
    if (operand.lines == 0 || !operand.stores) continue;
    const auto keep = [&](std::uint64_t at) {
      std::memcpy(lines.emplace_back().bytes, member.pass.operand[k] + at, LINE);
    };
    const Indices indices(group);
    for (auto operation = begin; operation < begin + count; ++operation)
      kernels::each_line(operand, operation, member.pass.row, member.pass.plane, keep,
                         [&](std::uint64_t i) { return indices.at(operation * kernels::ELEMENTS + i); });
  }
  return lines;
}

Pass part_of_pass(const Member& member, std::uint64_t begin, std::uint64_t count) {
  Pass part = member.pass;
  part.begin = begin;
  part.end = begin + count;
  part.repeats = 1;
  return part;
}

/// Runs scalar code once more on the memory itself, where operations reach further than their own lines. Memory must
/// already contain what it stores.
double verify_in_place(const Group& group, const Member& member, std::uint64_t begin, std::uint64_t count) {
  const auto before = stored_lines(group, member, begin, count);
  if (before.empty()) return 0;
  auto part = part_of_pass(member, begin, count);
  group.entry->reference()(part);
  const auto after = stored_lines(group, member, begin, count);
  return difference(before.front().bytes, after.front().bytes, before.size() * LINE);
}

/// Sums of positive reals differ by the order of their terms: by n * 2^-53 of their value on either side, for n terms.
/// Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 2002, section 4.2.
double reduced_difference(std::uint64_t left, std::uint64_t right, std::uint64_t terms) {
  const double apart =
      difference(reinterpret_cast<const std::byte*>(&left), reinterpret_cast<const std::byte*>(&right), sizeof left);
  return apart <= 2 * static_cast<double>(terms) * 0x1p-53 ? 0 : apart;
}

/// Compares what the variant and scalar code return for a window.
double verify_sum(const Group& group, const Member& member, std::uint64_t begin, std::uint64_t count) {
  const auto& info = *group.entry->info;
  if (!info.sums && !info.reduces) return 0;
  auto again = part_of_pass(member, begin, count), scalar = again;
  const auto found = group.variant.function(again), expected = group.entry->reference()(scalar);
  if (info.reduces) return reduced_difference(found, expected, count * kernels::ELEMENTS);
  return found == expected ? 0 : WRONG;
}

}  // namespace

double verify_lines(const Group& group, const Member& member) {
  const auto granule = group.variant.shape.granule();
  const auto covered = std::min(member.done, member.end - member.begin) / granule * granule;
  if (covered == 0) return 0;
  const auto count = std::min(covered, std::max<std::uint64_t>(WINDOW_OPERATIONS / granule, 1) * granule);
  const auto places = std::min(WINDOWS, (covered + count - 1) / count);  // a small slice is compared as a whole
  const bool in_place = !std::ranges::all_of(
      group.entry->info->operands, [](const auto& operand) { return operand.place == kernels::Place::lines; });
  double largest = 0;
  for (std::uint64_t w = 0; w < places; ++w) {
    const auto last = (covered - count) / granule;
    const auto begin = member.begin + (places == 1 ? 0 : last * w / (places - 1)) * granule;
    largest = std::max(
        largest, in_place ? verify_in_place(group, member, begin, count) : verify_window(group, member, begin, count));
    largest = std::max(largest, verify_sum(group, member, begin, count));
  }
  return largest;
}

}  // namespace tierscope
