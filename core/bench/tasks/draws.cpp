#include "bench/tasks/draws.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"
#include "bench/compare.hpp"

namespace tierscope {
namespace {

using kernels::ELEMENT;
using kernels::ELEMENTS;
using kernels::LINE;

constexpr std::uint64_t CHECKED = 1U << 16U;  // most words of a window: they stay in a cache while draws are repeated

std::uint64_t elements_of(const Member& member) { return (member.end - member.begin) * ELEMENTS; }
std::uint64_t number_of(const Member& member) { return member.begin / (member.end - member.begin); }

}  // namespace

void place_draws(Group& group, std::size_t number) {
  const auto* draws = group.entry->info->draws;
  if (draws == nullptr) return;
  auto& member = group.members[number];
  member.pass.cursor = member.begin;
  member.pass.state = draws->start(number_of(member));
}

double verify_draws(const Group& group, const Member& member) {
  const auto& draws = *group.entry->info->draws;
  const auto elements = elements_of(member), count = std::min(elements, CHECKED), number = number_of(member);
  const auto first = random_word(group.plan.seed, number) % (elements / count) * count;
  std::vector<std::uint64_t> expected(count);
  for (std::uint64_t i = 0; i < count; ++i) expected[i] = first + i;
  std::array<std::uint64_t, ELEMENTS> words{};
  draws.parts(draws.start(number), words.data());
  for (auto left = member.done; left > 0; --left) {
    draws.next(words.data());
    for (const auto word : words)
      if (const auto at = draws.element(word, elements) - first; at < count) expected[at] ^= word;
  }
  const auto* const table = member.pass.operand[0] + member.begin * LINE;
  return std::memcmp(table + first * ELEMENT, expected.data(), count * ELEMENT) == 0 ? 0 : WRONG;
}

DrawStream::DrawStream(const Group& group, const Member& member, std::uint64_t base)
    : Stream(group, member),
      draws_(group.entry->info->draws),
      base_(base + member.begin * LINE),
      elements_(elements_of(member)),
      state_(draws_->start(number_of(member))) {
  rewind();
}

void DrawStream::rewind() { draws_->parts(state_, words_.data()); }

std::uint64_t DrawStream::next(std::uint64_t wanted, std::vector<simulate::Access>& to) {
  const auto operations = std::max<std::uint64_t>(wanted, 1);
  for (std::uint64_t made = 0; made < operations; ++made) {
    draws_->next(words_.data());
    for (const auto word : words_) {
      const auto line = base_ + draws_->element(word, elements_) * ELEMENT / LINE * LINE;
      to.push_back({line, simulate::Kind::load, false});
      to.push_back({line, simulate::Kind::store, false});
    }
  }
  return operations;
}

}  // namespace tierscope
