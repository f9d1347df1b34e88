/// Right before fast: what the blocks left is compared with scalar code, in the way that the kernel states. Most
/// kernels write a function of operands that they leave alone, so scalar code run once more on a copy must change
/// nothing; the destination held other random bits before, so a line that was never written shows. For those that
/// update what they read, see bench/first_content.hpp.
#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "bench/compare.hpp"
#include "bench/group.hpp"
#include "kernels/baseline/handover.hpp"
#include "kernels/blocks.hpp"

namespace tierscope {
namespace {

using kernels::LINE;
using kernels::OPERANDS;
using kernels::Pass;

constexpr std::uint64_t PROBED_HOPS = 1000;
constexpr std::uint64_t SUMMED_BYTES = std::uint64_t{16} << 20U;  // of a chase of blocks
constexpr std::uint64_t DRAWS = 4096;  // so many lines that `stir` changed are among them, even of 8-byte blocks

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

/// Of one operand, or of two that must agree: a range of bytes anywhere in the covered blocks, against scalar code.
double verify_bytes(const Group& group, const Member& member, std::uint64_t at, std::uint64_t size) {
  const auto& operands = group.entry->info->operands;
  std::vector<CacheLine> copies[OPERANDS];
  Pass scalar = member.pass;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    if (operands[k].lines == 0) continue;
    copies[k].resize((size + LINE - 1) / LINE);
    std::memcpy(copies[k].data(), member.pass.operand[k] + at, size);
    scalar.operand[k] = copies[k].front().bytes;
  }
  scalar.begin = 0;
  scalar.end = scalar.repeats = 1;
  scalar.element = size;
  group.entry->reference()(scalar);
  double largest = 0;
  for (std::size_t k = 0; k < OPERANDS; ++k)
    if (operands[k].stores)
      largest = std::max(largest, difference(copies[k].front().bytes, member.pass.operand[k] + at, size));
  return largest;
}

/// Blocks in order: windows of bytes, evenly spread over what was covered.
double verify_blocks(const Group& group, const Member& member) {
  const auto element = group.plan.element;
  const auto covered = std::min(member.done, member.end - member.begin) * element;
  if (covered == 0) return 0;
  const auto size = std::min(covered, WINDOW_OPERATIONS * LINE);
  double largest = 0;
  for (std::uint64_t w = 0; w < WINDOWS; ++w) {
    const auto offset = (covered - size) * w / (WINDOWS - 1) / 8 * 8;
    largest = std::max(largest, verify_bytes(group, member, member.begin * element + offset, size));
  }
  return largest;
}

/// Blocks drawn at random: the last draws, walked backwards, must all have been written, at both ends.
double verify_drawn(const Group& group, const Member& member) {
  const auto element = group.plan.element;
  const auto* base = member.pass.operand[0] + member.begin * element;
  auto state = member.pass.state;
  const auto written = [](const std::byte* at, std::size_t size) {
    return std::all_of(at, at + size, [](std::byte byte) { return byte == std::byte{kernels::bytes::FILL}; });
  };
  const auto size = std::min<std::uint64_t>(element, kernels::PAGE);
  for (std::uint64_t i = 0; i < std::min(member.done, DRAWS); ++i, state = kernels::bytes::previous_draw(state)) {
    const auto* block = base + kernels::bytes::drawn(state, member.pass.nodes) * element;
    if (!written(block, size) || !written(block + element - size, size)) return WRONG;
  }
  return 0;
}

/// Blocks that are read: windows of what a pass sums up, word by word in the same order.
double verify_read(const Group& group, const Member& member) {
  const auto slice = member.end - member.begin;
  const auto count = std::clamp<std::uint64_t>(WINDOW_OPERATIONS * LINE / group.asked(), 1, slice);
  const auto places = std::min(WINDOWS, (slice + count - 1) / count);
  for (std::uint64_t w = 0; w < places; ++w) {
    Pass pass = member.pass;
    pass.begin = member.begin + (places == 1 ? 0 : (slice - count) * w / (places - 1));
    pass.end = pass.begin + count;
    pass.repeats = 1;
    Pass scalar = pass;
    if (group.variant.function(pass) != group.entry->reference()(scalar)) return WRONG;
  }
  return 0;
}

/// Whether all words of a block, at both ends, are those of the n-th that was stored.
bool holds_block(const std::byte* at, std::uint64_t size, std::uint64_t number) {
  const auto word = kernels::bytes::flush_word(number);
  const auto edge = std::min<std::uint64_t>(size, kernels::PAGE);
  for (const auto* from : {at, at + size - edge})
    for (std::uint64_t off = 0; off < edge; off += sizeof word)
      if (std::memcmp(from + off, &word, sizeof word) != 0) return false;
  return true;
}

/// The block of one step of the slice, or of a draw.
std::uint64_t block_of(const Pass& pass, std::uint64_t step, std::uint64_t draw) {
  if (pass.order == kernels::Order::random) return kernels::bytes::drawn(draw, pass.nodes);
  return pass.order == kernels::Order::once ? kernels::blocks::once(step, pass.region, pass.state) : step;
}

/// Stores that were flushed: the last of them, newest first, each block once.
double verify_flushed(const Group& group, const Member& member) {
  const auto element = group.plan.element;
  const auto& pass = member.pass;
  const auto* base = pass.operand[0] + member.begin * element;
  const auto blocks = member.end - member.begin;
  std::unordered_set<std::uint64_t> seen;
  auto state = pass.state;
  for (std::uint64_t back = 1; back <= std::min(pass.written, DRAWS); ++back) {
    const auto number = pass.written - back;
    const auto block = block_of(pass, number % blocks, state);
    state = kernels::bytes::previous_draw(state);
    if (seen.insert(block).second && !holds_block(base + block * element, pass.touched(), number)) return WRONG;
  }
  return 0;
}

/// Both threads have counted the same hand-overs, and the line they stand on holds the last.
double verify_handover(const Group& group, const Member& member) {
  const auto count = member.pass.cursor;
  for (const auto& other : group.members)
    if (other.pass.cursor != count) return WRONG;
  if (count == 0) return 0;
  const auto number = (count - 2) / kernels::handover::ON_ONE_LINE % member.pass.nodes;
  std::uint64_t last = 0;
  std::memcpy(&last, member.pass.operand[0] + number * LINE, sizeof last);
  return last == count ? 0 : WRONG;
}

/// The place of the needle after n hops is known, and the words that the next hops sum up.
double verify_chase(const Group& group, const Member& member) {
  const auto element = group.plan.element;
  const auto cycle = group.cycle(member);
  const auto node = [&](std::uint64_t hops) { return cycle.at((member.done + hops) % cycle.nodes()); };
  Pass walk = member.pass;
  if (walk.cursor != reinterpret_cast<std::uintptr_t>(walk.operand[0] + node(0) * element)) return WRONG;
  if (!group.entry->info->sums) return 0;
  walk.repeats = std::clamp<std::uint64_t>(SUMMED_BYTES / element, 1, PROBED_HOPS);
  std::uint64_t sum = 0;
  for (std::uint64_t hop = 0; hop < walk.repeats; ++hop)
    for (std::uint64_t off = LINE; off < element; off += LINE)
      sum += random_word(group.plan.seed, (node(hop) * element + off) / 8);
  return group.variant.function(walk) == sum ? 0 : WRONG;
}

/// A random walk is repeated with plain arithmetic.
double verify_probe(const Group& group, const Member& member) {
  const auto element = group.plan.element;
  const auto cycle = group.cycle(member);
  Pass walk = member.pass;
  walk.repeats = PROBED_HOPS;
  std::uint64_t state = walk.state;
  for (std::uint64_t i = 0; i < PROBED_HOPS; ++i) {
    const auto node = static_cast<std::uint64_t>((static_cast<unsigned __int128>(state) * walk.nodes) >> 64U);
    const auto next = reinterpret_cast<std::uintptr_t>(walk.operand[0] + cycle.successor(node) * element);
    state = (state + next) * 0xD1342543DE82EF95U + 0x9E3779B97F4A7C15U;
  }
  return group.variant.function(walk) == state ? 0 : WRONG;
}

}  // namespace

double verify(const Group& group, std::size_t index) {
  const auto& member = group.members[index];
  if (group.entry->info->check == kernels::Check::none) return 0;
  switch (group.entry->info->operation) {
    case kernels::Operation::line:
      return group.updates() ? verify_updated(group, member) : verify_lines(group, member);
    case kernels::Operation::hop:
      return group.entry->info->orders ? verify_chase(group, member) : verify_probe(group, member);
    case kernels::Operation::call:
      return WRONG;  // what it does is known to nobody here
    case kernels::Operation::block:
      if (group.entry->info->flushes) return verify_flushed(group, member);
      if (group.entry->info->sums) return verify_read(group, member);
      return group.entry->info->drawn ? verify_drawn(group, member) : verify_blocks(group, member);
    case kernels::Operation::handover:
      return verify_handover(group, member);
    case kernels::Operation::task:
    case kernels::Operation::key:
      return member.victim == nullptr ? WRONG : member.victim->check();
  }
  return WRONG;
}

}  // namespace tierscope
