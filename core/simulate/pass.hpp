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
  /// As Cache::touch, or Cache::find if `use` is false, then Cache::fill where the line is absent.
  Filled take(std::uint64_t line, bool use) noexcept {
    Entry* const held = use ? cache_->touch(line) : cache_->find(line);
    return held != nullptr ? Filled{held, HELD} : cache_->fill(line);
  }
  void end() const noexcept {}
  static constexpr Entry HELD = ADDRESS;  // no victim: the line was here

 private:
  Cache* cache_;
};

/// A touch of a line that its set used last changes nothing but may make it dirty. This keeps such touches, loads and
/// stores, by the lowest bits of their lines: as many as decide about the set, so that a set has one place.
class Latest {
 public:
  explicit Latest(std::uint64_t sets)
      : mask_(2 * std::min<std::uint64_t>(MOST, sets & (std::uint64_t{0} - sets)) - 1) {
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

/// `touches` are loads and stores. Returns the end of what was written to `further`: two places for each.
template <class Ways>
Touch* pass_nearest(Ways ways, std::uint64_t sets, std::span<const Touch> touches, Touch* further) {
  Latest latest(sets);
  for (const Touch touch : touches) {
    if (latest.holds(touch)) continue;
    const std::uint64_t line = touch & ADDRESS;
    const auto [entry, victim] = ways.take(line, true);
    const Entry now = *entry |= (touch & STORE) / (STORE / DIRTY);
    latest.keep(line, (now & DIRTY) != 0);
    if (victim == Ways::HELD) continue;
    *further = (victim & ADDRESS) | BACK;
    further += (victim & DIRTY) != 0;
    *further++ = touch;
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
    const auto [entry, victim] = ways.take(touch & ADDRESS, !back);
    *entry |= (touch & BACK) / (BACK / DIRTY);
    if (victim == Ways::HELD) continue;
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
