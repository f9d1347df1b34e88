/// The delays that an emulated tier adds to the work of one thread (Emulation, targets/target.hpp):
///     each dependent access takes max(its own time, floor)                    [s]
///     bytes of all threads on a tier per second <= ceiling                    [program bytes/s].
/// After an access, or after a burst of bytes, the thread reads the clock until it may continue. A tier's bytes pass
/// one after another: a burst takes the next place in a schedule that all threads share by one atomic, without a lock.
/// Time in which no thread asked for bytes is lost, not saved, so that no burst is faster after a pause.
/// A wait ends up to one read of the clock late, some 20 ns. This time is subtracted from the next wait, so that the
/// mean over a block is exact where a single access is not. A burst lasts 10 us of its tier, less where threads share
/// it: long compared with a read, short compared with a block.
/// Blind to: dependent accesses use no bytes of the ceiling, so that no load makes them wait. Independent accesses have
/// no floor. Reads for ownership are not counted, because program bytes do not include them.
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
  /// Returns the tick at which `bytes` requested at `start` have passed, after all earlier requests.
  std::uint64_t pass(std::uint64_t start, double bytes) noexcept;

 private:
  double ticks_per_byte_;
  std::atomic<std::uint64_t> passed_{0};  // tick at which all bytes so far have passed
};

/// The ceiling of each tier that has one, by its target: groups on the same tier share it.
using Ceilings = std::map<std::string, Ceiling>;

class Throttle {
 public:
  /// Adds the group's tiers to `ceilings`, which must outlive this.
  Throttle(const Group& group, Ceilings& ceilings);
  /// Return whether there is anything to wait for.
  [[nodiscard]] bool any() const noexcept { return floor_ticks_ > 0 || parts_[0].ceiling || parts_[1].ceiling; }
  /// Operations between two waits; 1 for hops.
  [[nodiscard]] std::uint64_t burst() const noexcept { return burst_; }
  void begin() noexcept {
    if (any()) began_ = clock_.now();
  }
  /// Waits until `operations` since `begin`, or since the last wait, may be over.
  void wait(std::uint64_t operations) noexcept;

 private:
  /// The share of one operation in the target's tier, and in the source's.
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
