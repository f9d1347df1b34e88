/// Checks the results of chains, in three ways. The state behind all draws must be the one that follows from their
/// number alone: a read whose words lacked their tags changed it. The last writes must be in memory, newest first, each
/// line once. And plain arithmetic repeats the next operations on what memory contains: the kernel must read the same
/// sum and store the same lines. The check then restores the lines that it stored to. Blind to: words read that have
/// the right tag and are wrong otherwise, outside of the repeated operations.
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/compare.hpp"
#include "bench/content.hpp"
#include "bench/tasks/chain.hpp"

namespace tierscope {
namespace {

using kernels::ELEMENTS;
using kernels::LINE;
using kernels::Pass;
using kernels::bytes::next_draw;
using kernels::bytes::previous_draw;
using kernels::chain::Act;
using kernels::chain::place_of;
using kernels::chain::Step;
using kernels::chain::written_word;

constexpr std::uint64_t WRITES = 4096;                             // looked up in memory
constexpr std::uint64_t REPEATED = 256;                            // operations
constexpr std::uint64_t REPEATED_BYTES = std::uint64_t{1} << 20U;  // of them all, unless one has more

/// Returns the state after `count` draws: x -> a x + c, composed with itself by squaring.
std::uint64_t drawn_on(std::uint64_t state, std::uint64_t count) {
  std::uint64_t factor = kernels::bytes::FACTOR, step = kernels::bytes::STEP;
  for (; count > 0; count >>= 1U) {
    if ((count & 1U) != 0) state = state * factor + step;
    step += step * factor;
    factor *= factor;
  }
  return state;
}

bool holds_word(const std::byte* line, std::uint64_t word) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(line);
  return std::all_of(words, words + ELEMENTS, [word](std::uint64_t one) { return one == word; });
}

bool last_writes_are_there(const MemberChain& chain, const Pass& pass) {
  std::unordered_set<const std::byte*> seen;
  auto state = pass.state;
  auto number = pass.written;
  const auto oldest = number - std::min(number, WRITES);
  while (number > oldest)
    for (auto step = chain.each().rbegin(); step != chain.each().rend(); ++step, state = previous_draw(state)) {
      if (step->act == Act::read) continue;
      const auto* const at = place_of(*step, state);
      const auto word = written_word(--number);
      for (const auto* line = at; line < at + step->bytes; line += LINE)
        if (seen.insert(line).second && !holds_word(line, word)) return false;
    }
  return true;
}

/// Operations on a copy of the lines that they write.
class Replay {
 public:
  Replay(const MemberChain& chain, const Pass& pass) : state_(pass.state), number_(pass.written) {
    for (std::uint64_t operation = 0; operation < pass.repeats; ++operation)
      for (const auto& step : chain.each()) {
        state_ = next_draw(state_);
        step.act == Act::read ? read(step) : write(step);
      }
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  /// Return whether memory has each line as the replay left it; writes back what was there before.
  [[nodiscard]] bool undo() const {
    bool same = true;
    for (const auto& [line, its] : written_) {
      same = same && holds_word(line, its.word);
      std::memcpy(line, its.before.bytes, LINE);
    }
    return same;
  }

 private:
  struct Line {
    std::uint64_t word;
    CacheLine before;
  };
  void read(const Step& step) {
    auto* const at = place_of(step, state_);
    std::uint64_t sum = 0;
    for (auto* line = at; line < at + step.bytes; line += LINE) {
      const auto own = written_.find(line);
      const auto* words = reinterpret_cast<const volatile std::uint64_t*>(line);
      for (std::size_t i = 0; i < ELEMENTS; ++i) sum += own == written_.end() ? words[i] : own->second.word;
    }
    sum_ += sum;
    state_ += kernels::chain::excess(sum, step.bytes);
  }
  void write(const Step& step) {
    auto* const at = place_of(step, state_);
    const auto word = written_word(number_++);
    for (auto* line = at; line < at + step.bytes; line += LINE) {
      const auto [found, fresh] = written_.try_emplace(line, Line{word, {}});
      found->second.word = word;
      if (fresh) std::memcpy(found->second.before.bytes, line, LINE);
    }
  }
  std::uint64_t state_, number_, sum_ = 0;
  std::unordered_map<std::byte*, Line> written_;
};

/// Repeats operations in the member's own part, because all members are checked at the same time.
bool repeats(const Group& group, const Member& member) {
  Group own = group;
  own.plan.of<Chains>().partition = Partition::own;
  Pass pass = member.pass;
  const auto number = static_cast<std::size_t>(&member - group.members.data());
  MemberChain chain(own, number, {pass.operand[0], pass.operand[1]});
  pass.operand[3] = chain.frame();
  std::uint64_t bytes = 0;
  for (const auto& step : chain.each()) bytes += step.bytes;
  pass.repeats = std::clamp<std::uint64_t>(REPEATED_BYTES / bytes, 1, REPEATED);
  const Replay replay(chain, pass);
  const auto sum = group.variant.function(pass);
  return replay.undo() && pass.state == replay.state() && sum == replay.sum();
}

}  // namespace

double verify_chain(const Group& group, const Member& member) {
  const auto& chain = chain_of(group, member);
  const auto& pass = member.pass;
  const bool counted = pass.state == drawn_on(chain.start(), member.done * chain.each().size()) &&
                       pass.written == member.done * chain.writes();
  return counted && last_writes_are_there(chain, pass) && repeats(group, member) ? 0 : WRONG;
}

}  // namespace tierscope
