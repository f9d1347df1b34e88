/// What an emulated tier adds to the work of one thread (Emulation, targets/target.hpp).
///     each dependent access takes max(its own time, floor)                    [s]
///     bytes of all threads on a tier per second <= ceiling                    [program bytes/s]
/// After an access, or after a burst of bytes, the thread reads the clock until it may go on. A tier's bytes pass one
/// after another: a burst takes the next place in a schedule that all threads share by one atomic, without a lock. Time
/// in which no thread asked for bytes is lost, not saved up, so that no burst is faster for a pause before it.
/// A wait ends up to one read of the clock late, some 20 ns; that much is taken off the next one, so that the mean over
/// a block is exact where a single access is not. A burst lasts 10 us of its tier, less where threads share it: long
/// against a read, short against a block.
/// Blind to: dependent accesses take no bytes from the ceiling, so that no load makes them wait; independent accesses
/// know no floor. Reads for ownership are not counted, as they are in no program bytes.
/// Source: J. S. Turner, "New Directions in Communications", IEEE Communications Magazine 24(10), 1986 (leaky bucket).
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "base/clock.hpp"
#include "bench/group.hpp"

namespace tierscope {

/// When the bytes of one tier have passed.
class Ceiling {
 public:
  explicit Ceiling(double ticks_per_byte) noexcept : ticks_per_byte_(ticks_per_byte) {}
  /// The tick at which `bytes` have passed that were asked for at `start`: behind all that were asked for before.
  std::uint64_t pass(std::uint64_t start, double bytes) noexcept;

 private:
  double ticks_per_byte_;
  std::atomic<std::uint64_t> passed_{0};  // tick at which all bytes so far have
};

/// Of each tier with a ceiling, by its word: groups on the same tier share it.
using Ceilings = std::map<std::string, Ceiling>;

class Throttle {
 public:
  /// Adds the group's tiers to `ceilings`, which must outlive this.
  Throttle(const Group& group, Ceilings& ceilings);
  /// Whether there is anything to wait for.
  [[nodiscard]] bool any() const noexcept { return floor_ticks_ > 0 || parts_[0].ceiling || parts_[1].ceiling; }
  /// Operations between two waits; 1 of hops.
  [[nodiscard]] std::uint64_t burst() const noexcept { return burst_; }
  void begin() noexcept {
    if (any()) began_ = clock_.now();
  }
  /// Waits until `operations` since `begin`, or since the last wait, may be over.
  void wait(std::uint64_t operations) noexcept;

 private:
  /// What one operation takes of the target's tier, and of the source's.
  struct Part {
    Ceiling* ceiling = nullptr;
    double bytes = 0;
  };
  void add(Part& part, const std::string& word, const Emulation& emulation, const Group& group, bool source,
           Ceilings& ceilings);

  const Clock& clock_;
  std::uint64_t floor_ticks_ = 0, late_ticks_, burst_ = 1, began_ = 0;
  Part parts_[2];
};

}  // namespace tierscope
