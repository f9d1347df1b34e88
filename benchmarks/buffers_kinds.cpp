/// Prints the table src/tierscope/stats/buffers_kinds.csv: the share of visits to fresh regions that miss a buffer.
///
///     g++ -O2 -std=c++20 benchmarks/buffers_kinds.cpp -o kinds && ./kinds > src/tierscope/stats/buffers_kinds.csv
///
/// A region of U units of m lines is walked line by line in a random order. Then the next region follows. A buffer has
/// N entries, in sets of `ways`, and `ratio` is N / U. The kinds differ in the unit that leaves a full set. With fifo
/// it is the oldest. With clock it is the first that was not used again since the hand passed it. With random it is
/// any. With lru it is the least recently used one. With hash2, hash4, hash16 and hash32 the sets have 2, 4, 16 and
/// 32 ways, units are assigned to them at random, and the least recently used unit leaves. fifo-hash8, clock-hash8 and
/// random-hash8 have sets of 8 ways. A buffer of fewer entries than ways has one set. A plain index gives each set the
/// same number of units of a region. Its sets are therefore buffers of as many entries as a set has ways. lru has no
/// more than 64.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::size_t MANY = 256, NONE = ~std::size_t{0}, OLD = NONE - 1;
enum class Policy { fifo, clock, random, lru };
struct Kind {
  const char* name;
  Policy policy;
  std::size_t ways;
};

class Buffer {
 public:
  Buffer(Kind kind, std::size_t entries, std::size_t units)
      : kind_(kind), unit_(entries, NONE), mark_(entries, 0), hand_(entries / kind.ways, 0), place_(units, NONE) {}
  /// Another region begins. All units in the buffer are those of the one before.
  void begin() {
    for (auto& unit : unit_) {
      if (unit < OLD) place_[unit] = NONE;
      unit = OLD;
    }
    ++region_;
  }
  bool hit(std::size_t unit) {
    ++now_;
    if (const auto at = place_[unit]; at != NONE) {
      if (kind_.policy == Policy::clock) mark_[at] = 1;
      if (kind_.policy == Policy::lru) mark_[at] = now_;
      return true;
    }
    const auto at = pick(set_of(unit));
    if (unit_[at] < OLD) place_[unit_[at]] = NONE;
    unit_[at] = unit;
    place_[unit] = at;
    mark_[at] = kind_.policy == Policy::lru ? now_ : 0;
    return false;
  }

 private:
  [[nodiscard]] std::size_t set_of(std::size_t unit) const {
    std::uint64_t word = (region_ << 32U ^ unit) * 0x9E3779B97F4A7C15U;
    word = (word ^ word >> 31U) * 0xBF58476D1CE4E5B9U;
    return (word ^ word >> 29U) % hand_.size();
  }
  std::size_t pick(std::size_t set) {
    const auto first = set * kind_.ways;
    if (kind_.policy == Policy::random) return first + random_() % kind_.ways;
    const auto begin = mark_.begin() + static_cast<std::ptrdiff_t>(first);
    if (kind_.policy == Policy::lru)
      return static_cast<std::size_t>(std::min_element(begin, begin + static_cast<std::ptrdiff_t>(kind_.ways)) -
                                      mark_.begin());
    auto& hand = hand_[set];
    for (; kind_.policy == Policy::clock && mark_[first + hand] != 0; hand = (hand + 1) % kind_.ways)
      mark_[first + hand] = 0;
    const auto found = first + hand;
    hand = (hand + 1) % kind_.ways;
    return found;
  }
  Kind kind_;
  std::vector<std::size_t> unit_;
  std::vector<std::uint64_t> mark_;
  std::vector<std::size_t> hand_, place_;
  std::uint64_t now_ = 0, region_ = 0;
  std::mt19937_64 random_{1};
};

double misses(Kind kind, std::size_t entries, std::size_t units, std::size_t lines) {
  kind.ways = std::min(kind.ways, entries);
  std::mt19937_64 random(units * 1000 + lines);
  Buffer buffer(kind, entries, units);
  const std::size_t visits = units * lines, regions = std::max<std::size_t>(3, 400'000 / visits);
  const std::size_t first = 4 * entries / units + 1;
  std::vector<std::size_t> order(visits);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t missed = 0, counted = 0;
  for (std::size_t region = 0; region < first + regions; ++region) {
    std::shuffle(order.begin(), order.end(), random);
    buffer.begin();
    for (const auto line : order) {
      const bool hit = buffer.hit(line / lines);
      if (region < first) continue;
      missed += hit ? 0 : 1;
      ++counted;
    }
  }
  return static_cast<double>(missed) / static_cast<double>(counted);
}

}  // namespace

int main() {
  std::printf("kind,entries,lines,ratio,misses\n");
  for (const Kind kind :
       {Kind{"fifo", Policy::fifo, MANY}, Kind{"clock", Policy::clock, MANY}, Kind{"random", Policy::random, MANY},
        Kind{"hash2", Policy::lru, 2}, Kind{"hash4", Policy::lru, 4}, Kind{"hash16", Policy::lru, 16},
        Kind{"lru", Policy::lru, MANY}, Kind{"hash32", Policy::lru, 32}, Kind{"fifo-hash8", Policy::fifo, 8},
        Kind{"clock-hash8", Policy::clock, 8}, Kind{"random-hash8", Policy::random, 8}})
    for (const std::size_t entries : {4, 8, 16, 32, 64, 256}) {
      if (kind.policy == Policy::lru && kind.ways == MANY && entries == MANY) continue;
      for (const std::size_t lines : {2, 3, 4, 6, 8, 16, 32, 128}) {
        std::size_t before = NONE;
        for (int step = -80; step <= 48;) {  // sixteenths of an octave
          const auto units = static_cast<std::size_t>(std::lround(entries * std::exp2(-step / 16.0)));
          if (units != before && units > 1)
            std::printf("%s,%zu,%zu,%.6g,%.5g\n", kind.name, entries, lines,
                        static_cast<double>(entries) / static_cast<double>(units), misses(kind, entries, units, lines));
          before = units;
          step += step >= -16 && step < 16 ? 1 : 4;
        }
      }
    }
}
