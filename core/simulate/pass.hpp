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
  [[nodiscard]] bool holds(Touch touch) const noexcept { return kept_[touch >> 5U & mask_] == touch; }
  /// The set's newest line; a store to it changes nothing if it is dirty.
  void keep(std::uint64_t line, bool dirty) noexcept {
    const auto place = line >> 5U & mask_;
    kept_[place] = line;
    kept_[place + 1] = dirty ? line | STORE : NONE;
  }

 private:
  static constexpr std::uint64_t MOST = 256;
  static constexpr Touch NONE = 1;
  std::uint64_t mask_;
  std::array<Touch, 2 * MOST> kept_;
};

/// One touch through the nearest level. Returns the end of `further`.
template <class Ways>
[[gnu::always_inline]] inline Touch* pass_one(Ways& ways, Touch touch, Latest* latest, Touch* further) {
  const auto [now, victim] = ways.take(touch & ADDRESS, true, (touch & STORE) / (STORE / DIRTY));
  if (latest != nullptr) latest->keep(touch & ADDRESS, (now & DIRTY) != 0);
  if (victim == HELD) return further;
  *further = (victim & ADDRESS) | BACK;
  further += (victim & DIRTY) != 0;
  *further = touch;
  return further + 1;
}

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

/// `touches` are loads and stores. Returns the end of what was written to `further`: two places for each.
template <class Ways>
Touch* pass_nearest(Ways ways, std::uint64_t sets, Habit& habit, std::span<const Touch> touches, Touch* further) {
  if (habit.ask()) {
    Latest latest(sets);
    std::size_t held = 0;
    for (const Touch touch : touches) {
      if (latest.holds(touch)) {
        ++held;
      } else {
        further = pass_one(ways, touch, &latest, further);
      }
    }
    habit.learn(held, touches.size());
  } else {
    for (const Touch touch : touches) further = pass_one(ways, touch, nullptr, further);
  }
  ways.end();
  return further;
}

/// `touches` came out of another pass; AHEAD words behind them may be read.
template <class Ways>
Touch* pass_farther(Ways ways, std::span<const Touch> touches, Touch* further) {
  for (std::size_t i = 0; i < std::min(AHEAD, touches.size()); ++i) ways.announce(touches[i]);
  for (const Touch& touch : touches) {
    ways.announce((&touch)[AHEAD]);
    ways.expect((&touch)[SOON]);
    const bool back = (touch & BACK) != 0;
    const auto victim = ways.take(touch & ADDRESS, !back, (touch & BACK) / (BACK / DIRTY)).victim;
    if (victim == HELD) continue;
    *further = (victim & ADDRESS) | BACK;
    further += (victim & DIRTY) != 0;
    *further = touch;
    further += !back;
  }
  ways.end();
  return further;
}

/// action(Ways) with what suits the cache best.
template <class Action>
Touch* with_ways(Cache& cache, Action action) {
  if (LruWays<8>::suits(cache)) return action(LruWays<8>(cache));
  if (LruWays<16>::suits(cache)) return action(LruWays<16>(cache));
  return action(AnyWays(cache));
}

}  // namespace tierscope::simulate
