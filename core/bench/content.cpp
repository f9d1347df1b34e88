/// What the memory holds before the blocks: random reals or a cycle of pointers. Never zeros: a page of
/// zeros may be shared, and constant data may be compressed on the way.
#include <algorithm>
#include <cstring>

#include "base/random.hpp"
#include "bench/group.hpp"

namespace tierscope {
namespace {

using kernels::Content;
using kernels::LINE;
using kernels::OPERANDS;
using kernels::Operation;

std::uint64_t* words(std::byte* at) noexcept { return reinterpret_cast<std::uint64_t*>(at); }

void fill_reals(std::span<std::byte> range, std::uint64_t seed, std::uint64_t first) noexcept {
  auto* word = words(range.data());
  for (std::size_t i = 0; i < range.size() / 8; ++i) word[i] = random_real_bits(seed, first + i);
}

/// Each node points to its successor; the rest of its element is random.
void fill_cycle(const Group& group, const Member& member, std::uint64_t seed) noexcept {
  const auto element = group.plan.element;
  const auto cycle = group.cycle(member);
  auto* base = member.pass.operand[0];
  for (std::uint64_t node = 0; node < cycle.nodes(); ++node) {
    auto* word = words(base + node * element);
    for (std::uint64_t i = 1; i < element / 8; ++i) word[i] = random_word(seed, node * (element / 8) + i);
    word[0] = reinterpret_cast<std::uintptr_t>(base + cycle.successor(node) * element);
  }
}

/// What a member's pass keeps from block to block, as its operation wants it.
void place_member(Group& group, std::size_t number) {
  auto& member = group.members[number];
  auto& pass = member.pass;
  const auto element = group.plan.element;
  pass.prefetch = group.plan.prefetch;
  pass.prefetch_write = group.plan.prefetch_write;
  pass.element = element;
  pass.nodes = member.end - member.begin;
  pass.state = group.first_state(number);
  switch (group.operation()) {
    case Operation::hop:
      pass.operand[0] += member.begin * element;
      pass.cursor = reinterpret_cast<std::uintptr_t>(pass.operand[0] + group.cycle(member).at(0) * element);
      break;
    case Operation::block:
      pass.cursor = member.begin;
      pass.fence = group.fence();
      pass.order = group.order();
      pass.access = group.plan.access;
      pass.region = group.window(member);
      break;
    case Operation::handover:
      pass.state = number;  // 0 asks, 1 answers, on the same lines
      pass.cursor = 0;
      break;
    case Operation::line:
    case Operation::call:
    case Operation::task:
    case Operation::key:
      break;
  }
}

}  // namespace

/// Operand k starts behind the one before on the same target, shifted by `skew` so that equal indices need not share a
/// cache set.
void place(Group& group, std::span<std::byte> target, std::span<std::byte> source) {
  const auto& info = *group.entry->info;
  if (info.content == Content::nothing) return;
  std::size_t offset[2]{};
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const bool apart = group.on_source(k);
    for (auto& member : group.members)
      member.pass.operand[k] = (apart ? source : target).data() + offset[apart ? 1 : 0];
    if (group.walks() && info.operands[k].lines > 0)
      offset[apart ? 1 : 0] += group.operations * group.stride(k) + group.plan.skew;
  }
  for (std::size_t m = 0; m < group.members.size(); ++m) place_member(group, m);
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
  if (!group.walks() || info.content != Content::reals) return;
  constexpr auto per_page = kernels::PAGE / LINE;
  const auto& member = group.members[number];
  const auto seed = ~group.plan.seed;  // other words than those that the fill put there
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    if (!info.operands[k].stores) continue;
    const auto first = (member.begin * group.stride(k) + LINE - 1) / LINE;
    const auto last = member.end * group.stride(k) / LINE;
    for (auto line = first; line < last; line += per_page) {
      const auto chosen = std::min(line + random_word(seed, line) % per_page, last - 1);
      fill_reals({member.pass.operand[k] + chosen * LINE, LINE}, seed, chosen * (LINE / 8));
    }
  }
}

}  // namespace tierscope
