/// What the memory holds before the blocks: random reals or a cycle of pointers. Never zeros: a page of
/// zeros may be shared, and constant data may be compressed on the way.
#include <algorithm>
#include <cstring>

#include "base/random.hpp"
#include "bench/cycle.hpp"
#include "bench/group.hpp"

namespace tierscope {
namespace {

using kernels::Content;
using kernels::LINE;
using kernels::OPERANDS;

std::uint64_t* words(std::byte* at) noexcept { return reinterpret_cast<std::uint64_t*>(at); }

void fill_reals(std::span<std::byte> range, std::uint64_t seed, std::uint64_t first) noexcept {
  auto* word = words(range.data());
  for (std::size_t i = 0; i < range.size() / 8; ++i) word[i] = random_real_bits(seed, first + i);
}

/// Each node points to its successor; the rest of its element is random.
void fill_cycle(const Group& group, const Member& member, std::uint64_t seed) noexcept {
  const auto element = group.plan.element;
  const Cycle cycle(member.end - member.begin, group.plan.locality / element, seed);
  auto* base = member.pass.operand[0];
  for (std::uint64_t node = 0; node < cycle.nodes(); ++node) {
    auto* word = words(base + node * element);
    for (std::uint64_t i = 1; i < element / 8; ++i) word[i] = random_word(seed, node * (element / 8) + i);
    word[0] = reinterpret_cast<std::uintptr_t>(base + cycle.successor(node) * element);
  }
}

}  // namespace

/// Operand k starts behind operand k-1, shifted by `skew` so that equal indices need not share a cache set.
void place(Group& group, std::span<std::byte> memory) {
  const auto& info = *group.entry->info;
  if (info.content == Content::nothing) return;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto lines = info.operands[k].lines;
    for (auto& member : group.members) member.pass.operand[k] = memory.data() + offset;
    if (info.operation == kernels::Operation::line) offset += group.operations * LINE * lines + group.plan.skew;
  }
  for (auto& member : group.members) {
    member.pass.prefetch = group.plan.prefetch;
    member.pass.prefetch_write = group.plan.prefetch_write;
    if (info.operation != kernels::Operation::hop) continue;
    const auto element = group.plan.element;
    member.pass.operand[0] = memory.data() + member.begin * element;
    member.pass.element = element;
    member.pass.nodes = member.end - member.begin;
    const Cycle cycle(member.pass.nodes, group.plan.locality / element, group.plan.seed);
    member.pass.cursor = reinterpret_cast<std::uintptr_t>(member.pass.operand[0] + cycle.at(0) * element);
    member.pass.state = group.plan.seed;
  }
}

void fill(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept {
  if (group.entry->info->content == Content::cycle) {
    fill_cycle(group, group.members[member], group.plan.seed);
    return;
  }
  const auto pages = (memory.size() + kernels::PAGE - 1) / kernels::PAGE;
  const auto first = pages * member / group.members.size() * kernels::PAGE;
  const auto last = std::min(pages * (member + 1) / group.members.size() * kernels::PAGE, memory.size());
  fill_reals(memory.subspan(first, last - first), group.plan.seed, first / 8);
}

void stir(const Group& group, std::size_t number) noexcept {
  const auto& info = *group.entry->info;
  if (info.operation != kernels::Operation::line || info.content != Content::reals) return;
  constexpr auto per_page = kernels::PAGE / LINE;
  const auto& member = group.members[number];
  const auto seed = ~group.plan.seed;  // other words than those that the fill put there
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    if (!info.operands[k].stores) continue;
    const auto last = member.end * info.operands[k].lines;
    for (auto line = member.begin * info.operands[k].lines; line < last; line += per_page) {
      const auto chosen = std::min(line + random_word(seed, line) % per_page, last - 1);
      fill_reals({member.pass.operand[k] + chosen * LINE, LINE}, seed, chosen * (LINE / 8));
    }
  }
}

}  // namespace tierscope
