/// Checks the results of blocks: windows of bytes against scalar code, the last draws, sums that are repeated, or the
/// words that numbered stores must have left.
#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <vector>

#include "bench/compare.hpp"
#include "bench/tasks/block.hpp"
#include "kernels/blocks.hpp"

namespace tierscope {
namespace {

using kernels::LINE;
using kernels::OPERANDS;
using kernels::Pass;

constexpr std::uint64_t DRAWS = 4096;  // enough to include lines that `stir` changed, even of 8-byte blocks

/// Compares a range of bytes anywhere in the covered blocks with scalar code; or two operands that must agree.
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
double verify_in_order(const Group& group, const Member& member) {
  const auto element = group.plan.of<Blocks>().element;
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

/// Blocks drawn at random: the last draws, visited backwards, must all have been written, at both ends.
double verify_drawn(const Group& group, const Member& member) {
  const auto element = group.plan.of<Blocks>().element;
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

/// Return whether all words of a block, at both ends, are those of the n-th that was stored.
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

/// Stores of numbered words: checks the last of them, newest first, each block once.
double verify_flushed(const Group& group, const Member& member) {
  const auto element = group.plan.of<Blocks>().element;
  const auto& pass = member.pass;
  const auto stride = group.stride(0);
  const auto* base = pass.operand[0] + member.begin * stride;
  const auto blocks = member.end - member.begin;
  std::unordered_set<std::uint64_t> seen;
  auto state = pass.state;
  for (std::uint64_t back = 1; back <= std::min(pass.written, DRAWS); ++back) {
    const auto number = pass.written - back;
    const auto block = block_of(pass, number % blocks, state);
    state = kernels::bytes::previous_draw(state);
    if (!seen.insert(block).second) continue;
    for (std::uint64_t off = 0; off < stride; off += element)
      if (!holds_block(base + block * stride + off, pass.touched(), number)) return WRONG;
  }
  return 0;
}

/// The bytes that a replay of mixed blocks stores to. They are restored after it, because later checks need them.
class Stored {
 public:
  Stored(const Group& group, const Member& member, const Pass& pass) : size_(pass.touched()) {
    auto state = pass.state;
    for (auto number = pass.begin; number < pass.end; ++number) {
      state = kernels::bytes::next_draw(state);
      const auto block = member.begin + block_of(pass, number - member.begin, state);
      for (std::uint64_t off = 0; off < group.stride(0); off += pass.element)
        keep(pass.operand[0] + block * group.stride(0) + off);
    }
  }
  /// Restores the last bytes first, so that bytes that were kept twice get their first content.
  void put_back() const {
    for (auto place = places_.size(); place-- > 0;) std::memcpy(places_[place], bytes_.data() + place * size_, size_);
  }

 private:
  void keep(std::byte* at) {
    places_.push_back(at);
    bytes_.insert(bytes_.end(), at, at + size_);
  }
  std::size_t size_;
  std::vector<std::byte*> places_;
  std::vector<std::byte> bytes_;
};

/// Blocks that are read: compares windows of the sum of a pass, word by word in the same order.
double verify_read(const Group& group, const Member& member) {
  const auto slice = member.end - member.begin;
  const auto count = std::clamp<std::uint64_t>(WINDOW_OPERATIONS * LINE / touched_of(group), 1, slice);
  const auto places = std::min(WINDOWS, (slice + count - 1) / count);
  for (std::uint64_t w = 0; w < places; ++w) {
    Pass pass = member.pass;
    pass.begin = member.begin + (places == 1 ? 0 : (slice - count) * w / (places - 1));
    pass.end = pass.begin + count;
    pass.repeats = 1;
    Pass scalar = pass;
    std::optional<Stored> stored;
    if (group.entry->info->operands[0].stores) stored.emplace(group, member, pass);
    const bool same = group.variant.function(pass) == group.entry->reference()(scalar);
    if (stored) stored->put_back();
    if (!same) return WRONG;
  }
  return 0;
}

}  // namespace

double verify_blocks(const Group& group, const Member& member) {
  const auto& info = *group.entry->info;
  if (info.flushes) return verify_flushed(group, member);
  if (info.sums && info.operands[0].stores && verify_flushed(group, member) != 0) return WRONG;
  if (info.sums) return verify_read(group, member);
  return info.drawn ? verify_drawn(group, member) : verify_in_order(group, member);
}

}  // namespace tierscope
