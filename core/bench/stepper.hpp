/// A member of a simulated group, as seen by the loop over all members: the one that may start next runs first.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench/block.hpp"
#include "simulate/access.hpp"
#include "simulate/noise.hpp"

namespace tierscope {

class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  /// @returns when its first access may start, or NEVER where there is none
  virtual simulate::Time begin(simulate::Time at, std::uint32_t batch) = 0;
  /// Executes the next access at `at`, the time that the last call returned, and ends its block where that is due:
  /// blocks of `length`, until one ends at `end` or later. @returns when the next may start, or NEVER after the last
  virtual simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) = 0;
  /// The time at which all its accesses in flight count as done, as the bench defines it (BlockRunner::work).
  virtual simulate::Time finish() = 0;
  [[nodiscard]] std::vector<Block>& blocks() noexcept { return blocks_; }

 protected:
  /// Return a block of this form, as its machine's clock shows it.
  [[nodiscard]] static Block block(Block form, const simulate::Seen& seen, std::uint64_t operations) noexcept {
    form.start_ticks = static_cast<std::uint64_t>(seen.start);
    form.stop_ticks = std::max(static_cast<std::uint64_t>(seen.stop), form.start_ticks + 1);
    form.operations = operations;
    form.flags = static_cast<std::uint16_t>((seen.preempted ? PREEMPTED : 0) | (seen.stolen ? STOLEN : 0));
    return form;
  }
  std::vector<Block> blocks_;
};

}  // namespace tierscope
