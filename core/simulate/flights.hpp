/// Lines that are on their way, each with the time until which it is. A small table of buckets. If a bucket is full,
/// the line that arrives first leaves it and counts as arrived. Calls come in order of time, so that line has arrived,
/// unless more lines are in flight than the table was made for.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

class Flights {
 public:
  explicit Flights(std::size_t lines)
      : buckets_(std::bit_ceil(std::max<std::size_t>(lines / SLOTS, 2))),
        shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))) {}
  void put(std::uint64_t line, Time ready) noexcept {
    auto& bucket = of(line);
    const std::size_t low = bucket.ready[1] < bucket.ready[0], high = 2U + (bucket.ready[3] < bucket.ready[2]);
    const std::size_t slot = bucket.ready[high] < bucket.ready[low] ? high : low;
    bucket.line[slot] = line;
    bucket.ready[slot] = ready;
  }
  /// Return the end of the line's last flight; 0: it has arrived.
  [[nodiscard]] Time ready(std::uint64_t line) noexcept {
    const auto& bucket = of(line);
    Time latest = 0;
    for (std::size_t s = 0; s < SLOTS; ++s)
      if (bucket.line[s] == line) latest = std::max(latest, bucket.ready[s]);
    return latest;
  }

 private:
  static constexpr std::size_t SLOTS = 4;
  struct Bucket {
    std::array<std::uint64_t, SLOTS> line{};
    std::array<Time, SLOTS> ready{};
  };
  Bucket& of(std::uint64_t line) noexcept { return buckets_[line * 0x9E3779B97F4A7C15U >> shift_]; }
  std::vector<Bucket> buckets_;
  unsigned shift_;  // the upper bits of a product with the golden ratio spread best
};

}  // namespace tierscope::simulate
