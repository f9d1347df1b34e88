/// One cache takes a list of touches and makes the list for the next level: the lines that it misses, and before each
/// the dirty one that made room. Without inclusion a level sees nothing else, so that levels may work one list after
/// the other: the sets that a list needs are known ahead and fetched before their turn.
#pragma once
#include <array>
#include <span>

#include "simulate/lru_ways.hpp"
#include "simulate/touch.hpp"

namespace tierscope::simulate {

constexpr std::size_t AHEAD = 16, SOON = 8;  // places from a touch to the one whose set, and whose entry, is fetched

/// A cache of any policy and geometry.
class AnyWays {
 public:
  explicit AnyWays(Cache& cache) : cache_(&cache) {}
  void announce(Touch touch) const noexcept { cache_->announce(touch & ADDRESS); }
  void expect(Touch) const noexcept {}
  /// The line comes in if it is absent, and is `dirty` if that bit says so. `use`: it is used; else it is only written
  /// back, and stays as old as it was if it is there.
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

/// A touch of a line that its set used last changes nothing but may make it dirty. This keeps such touches, loads and
/// stores, by the lowest bits of their lines: as many as decide about the set, so that a set has one place.
class Latest {
 public:
  explicit Latest(std::uint64_t sets) : mask_(2 * std::min<std::uint64_t>(MOST, sets & (std::uint64_t{0} - sets)) - 1) {
    std::fill_n(kept_.begin(), mask_ + 1, NONE);
  }
  /// Those touches, in order, that another line of their set came before, or that may be the first store since. Returns
  /// the end of what was written to `others`, a place for each, and how many of all are stores. A loop without the
  /// caches, so that a processor runs ahead of a branch that is foretold wrongly.
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

/// Whether the next lists are looked up in Latest first: that costs a branch that is foretold badly where the answer
/// is neither mostly yes nor mostly no, so that it pays only for a yes. Asked again every so many lists.
class Habit {
 public:
  [[nodiscard]] bool ask() noexcept { return skip_ == 0 || --skip_ == 0; }
  void learn(std::size_t held, std::size_t touches) noexcept { skip_ = 2 * held < touches ? LISTS : 0; }

 private:
  static constexpr unsigned LISTS = 16;
  unsigned skip_ = 0;
};

/// What a pass wrote, and how many of it are BACK.
struct Passed {
  Touch* end;
  std::uint64_t backs;
};

/// `touches` are loads and stores, or with LOADS loads alone. `further` has two places for each.
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

/// `touches` came out of another pass, with LOADS without any BACK; AHEAD words behind them may be read.
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

/// action(Ways) with what suits the cache best.
template <class Action>
Passed with_ways(Cache& cache, Action action) {
  if (LruWays<8, true>::suits(cache)) return action(LruWays<8, true>(cache));
  if (LruWays<16, true>::suits(cache)) return action(LruWays<16, true>(cache));
  if (LruWays<8, false>::suits(cache)) return action(LruWays<8, false>(cache));
  if (LruWays<16, false>::suits(cache)) return action(LruWays<16, false>(cache));
  return action(AnyWays(cache));
}

}  // namespace tierscope::simulate
