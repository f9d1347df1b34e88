/// One cache takes a list of touches and makes the list for the next level: the lines that it misses, and before each
/// the dirty line that it replaced. Without inclusion a level depends on nothing else. Levels may therefore process one
/// list after the other: the sets that a list needs are known ahead and are prefetched in time.
#pragma once
#include <array>
#include <span>

#include "simulate/lru_ways.hpp"
#include "simulate/touch.hpp"

namespace tierscope::simulate {

constexpr std::size_t AHEAD = 16, SOON = 8;  // distance to the touch whose set, or whose entry, is prefetched

/// A cache of any policy and geometry.
class AnyWays {
 public:
  explicit AnyWays(Cache& cache) : cache_(&cache) {}
  void announce(Touch touch) const noexcept { cache_->announce(touch & ADDRESS); }
  void expect(Touch) const noexcept {}
  /// Insert the line if it is absent, and make it `dirty` if that bit is set. `use`: it is used; else it is only
  /// written back, and keeps its age if it is present.
  Taken take(std::uint64_t line, bool use, Entry dirty) noexcept {
    if (Entry* const held = use ? cache_->touch(line) : cache_->find(line); held != nullptr)
      return {*held |= dirty, HELD};
    const auto filled = cache_->fill(line);
    return {*filled.entry |= dirty, filled.victim};
  }
  void end() const noexcept {}

 private:
  Cache* cache_;
};

/// A touch of a line that its set used last changes nothing except that it may make the line dirty. This keeps such
/// touches, loads and stores, by the lowest bits of their lines: as many bits as determine the set, so that a set has
/// one place.
class Latest {
 public:
  explicit Latest(std::uint64_t sets) : mask_(2 * std::min<std::uint64_t>(MOST, sets & (std::uint64_t{0} - sets)) - 1) {
    std::fill_n(kept_.begin(), mask_ + 1, NONE);
  }
  /// Write to `others`, in order, the touches after another line of their set, and those that may be the first store
  /// since then. `others` has a place for each. Return the end of what was written, and the number of stores among all.
  /// The loop does not access the caches, so that a processor runs ahead of a mispredicted branch.
  Touch* others(std::span<const Touch> touches, Touch* others, std::uint64_t& stores) noexcept {
    std::uint64_t marks = 0;
    for (const Touch touch : touches) {
      marks += touch & STORE;
      const auto place = touch >> 5U & mask_;
      if (kept_[place] == touch) continue;
      kept_[place & ~std::uint64_t{1}] = touch & ~STORE;
      kept_[place | 1] = (touch & STORE) != 0 ? touch : NONE;
      *others++ = touch;
    }
    stores = marks / STORE;
    return others;
  }

 private:
  static constexpr std::uint64_t MOST = 256;
  static constexpr Touch NONE = 1;
  std::uint64_t mask_;
  std::array<Touch, 2 * MOST> kept_;
};

/// Whether the next lists are first looked up in Latest. The look-up costs a branch that is hard to predict unless the
/// answer is mostly yes or mostly no, so it pays only for a yes. It is decided again after a fixed number of lists.
class Habit {
 public:
  [[nodiscard]] bool ask() noexcept { return skip_ == 0 || --skip_ == 0; }
  void learn(std::size_t held, std::size_t touches) noexcept { skip_ = 2 * held < touches ? LISTS : 0; }

 private:
  static constexpr unsigned LISTS = 16;
  unsigned skip_ = 0;
};

/// The accesses that a pass wrote, and the number of BACK in them.
struct Passed {
  Touch* end;
  std::uint64_t backs;
};

/// `touches` are loads and stores, or with LOADS only loads. `further` has two places for each.
template <bool LOADS, class Ways>
Passed pass_nearest(Ways ways, std::span<const Touch> touches, Touch* further) {
  std::uint64_t backs = 0;
  for (const Touch touch : touches) {
    const auto victim = ways.take(touch & ADDRESS, true, LOADS ? 0 : (touch & STORE) / (STORE / DIRTY)).victim;
    if (victim == HELD) continue;
    *further = (victim & ADDRESS) | BACK;
    const std::size_t back = (victim & DIRTY) / DIRTY;
    further += back;
    backs += back;
    *further++ = touch;
  }
  ways.end();
  return {further, backs};
}

/// `touches` are the output of another pass, with LOADS without any BACK; AHEAD elements behind them may be read.
template <bool LOADS, class Ways>
Passed pass_farther(Ways ways, std::span<const Touch> touches, Touch* further) {
  std::uint64_t backs = 0;
  for (std::size_t i = 0; i < std::min(AHEAD, touches.size()); ++i) ways.announce(touches[i]);
  for (const Touch& touch : touches) {
    ways.announce((&touch)[AHEAD]);
    ways.expect((&touch)[SOON]);
    const bool back = !LOADS && (touch & BACK) != 0;
    const auto victim = ways.take(touch & ADDRESS, !back, back ? DIRTY : 0).victim;
    if (victim == HELD) continue;
    *further = (victim & ADDRESS) | BACK;
    const std::size_t gone = (victim & DIRTY) / DIRTY;
    further += gone;
    backs += gone;
    *further = touch;
    further += !back;
  }
  ways.end();
  return {further, backs};
}

/// Call action(Ways) with the fastest type for the cache.
template <class Action>
Passed with_ways(Cache& cache, Action action) {
  if (LruWays<8, true>::suits(cache)) return action(LruWays<8, true>(cache));
  if (LruWays<16, true>::suits(cache)) return action(LruWays<16, true>(cache));
  if (LruWays<8, false>::suits(cache)) return action(LruWays<8, false>(cache));
  if (LruWays<16, false>::suits(cache)) return action(LruWays<16, false>(cache));
  return action(AnyWays(cache));
}

}  // namespace tierscope::simulate
