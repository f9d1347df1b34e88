/// Times of the operations on a structure in one batch, in ticks of the clock; threads are added up.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/histogram.hpp"
#include "bench/line_counts.hpp"

namespace tierscope {

struct Timing {
  std::uint64_t rounds = 0;
  std::uint64_t operations = 0;
  std::uint64_t done = 0;   // of them: a get that found its key, an insert or a remove that changed something
  std::uint64_t ticks = 0;  // of the operations alone
  std::uint64_t least_ticks = ~std::uint64_t{0}, most_ticks = 0;  // of one
  std::uint64_t rehashes = 0, moved = 0, rehash_ticks = 0;        // moved: entries
  std::uint64_t lock_ticks = 0;             // waited for the lock of a structure that threads share
  std::uint64_t fills = 0, fill_ticks = 0;  // structures made, or emptied and filled, before a round
  std::uint64_t clock_ticks = 0;  // of one look at the clock and its place in the histogram, in each operation
  LineCounts lines;               // of the operations alone, where accesses are recorded
  std::uint64_t waits = 0;        // of the operations alone: loads under the floor of an emulated tier
  Histogram histogram;            // of the operations' ticks

  void add(std::uint64_t took) noexcept {
    ticks += took;
    least_ticks = std::min(least_ticks, took);
    most_ticks = std::max(most_ticks, took);
    histogram.add(took);
  }
  void merge(const Timing& other) noexcept {
    rounds += other.rounds;
    operations += other.operations;
    done += other.done;
    ticks += other.ticks;
    least_ticks = std::min(least_ticks, other.least_ticks);
    most_ticks = std::max(most_ticks, other.most_ticks);
    rehashes += other.rehashes;
    moved += other.moved;
    rehash_ticks += other.rehash_ticks;
    lock_ticks += other.lock_ticks;
    fills += other.fills;
    fill_ticks += other.fill_ticks;
    clock_ticks = std::max(clock_ticks, other.clock_ticks);
    lines += other.lines;
    waits += other.waits;
    histogram.merge(other.histogram);
  }
};

}  // namespace tierscope
