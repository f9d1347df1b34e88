#include "shadow/image.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"

namespace tierscope::shadow {
namespace {

constexpr std::size_t LINES = PAGE / LINE;
constexpr std::uint64_t EVICTED = UINT64_MAX / 10 * 3;  // 30 % of all words are below
constexpr std::uint64_t DRAWS = 64;                     // words of randomness for each line; the last of them are:
enum Draw : std::uint64_t { TORN = DRAWS - 4, STEP, BETWEEN, EVICTION };
constexpr std::size_t UNIT = 2;  // words that one store makes visible at the same time
constexpr unsigned TRIES = 1000;
constexpr std::array<std::byte, PAGE> ZEROS{};

Line read(const std::byte* at) noexcept {
  Line line;
  std::memcpy(line.data(), at, LINE);
  return line;
}

/// The line as it was at one moment, while others may store to it: two readings that agree (Y. Afek et al., "Atomic
/// Snapshots of Shared Memory", JACM 40(4), 1993). Gives up on a line that is never still.
Line snapshot(const std::byte* at) noexcept {
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(at);
  Line before{}, now{};
  for (unsigned tries = 0; tries == 0 || (before != now && tries < TRIES); ++tries) {
    before = now;
    std::copy_n(words, now.size(), now.begin());
  }
  return now;
}

/// The result of a store that arrives in part: some of the units that it changed, drawn by `word`, but one at least.
Line torn(const Line& before, const Line& after, std::uint64_t word) noexcept {
  std::array<std::size_t, LINE / sizeof(std::uint64_t) / UNIT> changed{};
  std::size_t number = 0;
  for (std::size_t at = 0; at < before.size(); at += UNIT)
    if (!std::equal(&before[at], &before[at] + UNIT, &after[at])) changed[number++] = at;
  if (number == 0) return after;
  auto line = before;
  const auto chosen = word % ((std::uint64_t{1} << number) - 1) + 1;
  for (std::size_t i = 0; i < number; ++i)
    if ((chosen >> i & 1U) != 0) std::copy_n(&after[changed[i]], UNIT, &line[changed[i]]);
  return line;
}

}  // namespace

void Image::look_at(std::span<const std::byte> memory) {
  const auto pages = memory.size() / PAGE;
  if (memory.size() < memory_.size()) {
    start_ = start_.first(std::min(start_.size(), memory.size()));
    std::erase_if(changed_, [&](auto& each) { return each.first >= pages; });
    std::erase_if(on_their_way_, [&](auto& each) { return each.first >= pages * LINES; });
    std::erase_if(stored_, [&](auto& each) { return each.first >= pages * LINES; });
  }
  memory_ = memory;
}

/// Zeros where the file was shorter, or had a hole.
const std::byte* Image::started(std::size_t number) const noexcept {
  const bool kept = (number + 1) * PAGE <= start_.size() && (kept_.empty() || kept_[number]);
  return kept ? start_.data() + number * PAGE : ZEROS.data();
}

const std::byte* Image::page(std::size_t number) const noexcept {
  const auto found = changed_.find(number);
  return found != changed_.end() ? found->second.data() : started(number);
}

Line Image::persisted(std::size_t line) const noexcept { return read(page(line / LINES) + line % LINES * LINE); }

Line Image::newest(std::size_t line) const noexcept {
  const auto found = on_their_way_.find(line);
  return found != on_their_way_.end() ? found->second.back().content : persisted(line);
}

void Image::persist(std::size_t line, const Line& content) {
  auto found = changed_.find(line / LINES);
  if (found == changed_.end()) {
    const auto* const before = page(line / LINES);
    found = changed_.try_emplace(line / LINES).first;
    std::memcpy(found->second.data(), before, PAGE);
  }
  std::memcpy(found->second.data() + line % LINES * LINE, content.data(), LINE);
}

void Image::flush(unsigned lane, Range range) {
  const auto first = range.offset / LINE;
  const auto end = std::min(first + range.lines(), memory_.size() / LINE);
  for (auto line = first; line < end; ++line) {
    const OnItsWay now{lane, snapshot(memory_.data() + line * LINE)};
    const auto found = on_their_way_.find(line);
    const bool known = found == on_their_way_.end() ? now.content == persisted(line) : now == found->second.back();
    if (known) continue;
    on_their_way_[line].push_back(now);
    flushed_[lane].push_back(line);
  }
}

void Image::fence(unsigned lane) {
  for (const auto line : std::exchange(flushed_[lane], {})) {
    const auto found = on_their_way_.find(line);
    if (found == on_their_way_.end()) continue;  // flushed twice, or by a lane that fenced since
    auto& flushes = found->second;
    const auto last = std::find_if(flushes.rbegin(), flushes.rend(), [&](auto& each) { return each.lane == lane; });
    if (last == flushes.rend()) continue;
    persist(line, last->content);
    flushes.erase(flushes.begin(), last.base());
    if (flushes.empty()) on_their_way_.erase(found);
  }
}

void Image::leave_persisted(Lines& left) const {
  for (const auto& [number, content] : changed_)
    for (std::size_t i = 0; i < LINES; ++i)
      if (const auto now = read(content.data() + i * LINE); now != read(started(number) + i * LINE))
        left[number * LINES + i] = now;
}

void Image::leave_evicted(Lines& left, std::size_t number, std::uint64_t seed) const {
  if (std::memcmp(page(number), memory_.data() + number * PAGE, PAGE) == 0) return;
  for (auto line = number * LINES; line < (number + 1) * LINES; ++line)
    if (const auto now = snapshot(memory_.data() + line * LINE);
        now != newest(line) && random_word(seed, line * DRAWS + EVICTION) < EVICTED)
      left[line] = now;
}

void Image::stored(std::size_t line, const Line& before, const Line& after) {
  if (before != after) stored_[line].push_back({before, after});
}

void Image::leave_between(Lines& left, std::uint64_t seed) const {
  for (const auto& [line, steps] : stored_) {
    if (line >= memory_.size() / LINE || random_word(seed, line * DRAWS + BETWEEN) >= EVICTED) continue;
    const auto& step = steps[random_word(seed, line * DRAWS + STEP) % steps.size()];
    left[line] = torn(step.before, step.after, random_word(seed, line * DRAWS + TORN));
  }
}

std::vector<Changed> Image::crash(std::uint64_t seed, std::span<const Range> parts) const {
  Lines left;
  leave_persisted(left);
  for (const auto& [line, flushes] : on_their_way_)
    for (std::size_t i = 0; i < flushes.size(); ++i)
      if (random_word(seed, line * DRAWS + i % TORN) % 2 == 0) left[line] = flushes[i].content;
  for (const auto& part : parts)
    for (auto number = part.offset / PAGE; number < std::min(part.offset + part.size, memory_.size()) / PAGE; ++number)
      leave_evicted(left, number, seed);
  leave_between(left, seed);
  std::vector<Changed> changed;
  for (const auto& [line, content] : left) changed.push_back({line * LINE, content});
  return changed;
}

}  // namespace tierscope::shadow
