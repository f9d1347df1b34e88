#include "bench/tasks/line_numbers.hpp"

#include <algorithm>

#include "bench/content.hpp"
#include "bench/task.hpp"

namespace tierscope {
namespace {

using kernels::Holds;

bool numbered(const kernels::Operand& operand) { return operand.lines > 0 && operand.holds != Holds::reals; }

/// Elements [first, last) of an operand.
void fill_operand(const Group& group, std::size_t k, std::uint64_t first, std::uint64_t last) noexcept {
  auto* const words = words_at(group.members.front().pass.operand[k]);
  if (group.entry->info->operands[k].holds == Holds::indices) {
    const Indices indices(group);
    for (auto e = first; e < last; ++e) words[e] = indices.at(e);
  } else {
    const auto each = (group.members.front().end - group.members.front().begin) * kernels::ELEMENTS;
    for (auto e = first; e < last; ++e) words[e] = e % each;
  }
}

}  // namespace

void fill_numbers(const Group& group, std::size_t number, std::span<std::byte> memory) noexcept {
  const auto part = part_of(group, number, memory);
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    if (!numbered(group.entry->info->operands[k])) continue;
    const auto* const begin = group.members.front().pass.operand[k];
    const auto* const end = begin + group.operations * group.stride(k);
    const auto* const first = std::max<const std::byte*>(begin, part.data());
    const auto* const last = std::min<const std::byte*>(end, part.data() + part.size());
    if (first < last)
      fill_operand(group, k, std::uint64_t(first - begin) / kernels::ELEMENT,
                   std::uint64_t(last - begin) / kernels::ELEMENT);
  }
}

void begin_table(const Group& group, const Member& member) noexcept {
  fill_operand(group, 0, member.begin * kernels::ELEMENTS, member.end * kernels::ELEMENTS);
}

std::string numbered_content(const Group& group) {
  if (!std::ranges::any_of(group.entry->info->operands, numbered)) return "";
  return " numbers of " + group.plan.kernel + " for " + std::to_string(group.operations) + " operations on " +
         std::to_string(group.members.size()) + " threads";
}

}  // namespace tierscope
