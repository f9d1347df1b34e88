/// One thread's blocks: how long a block is, what is timed, how it is marked.
#pragma once
#include <vector>

#include "base/clock.hpp"
#include "bench/block.hpp"
#include "bench/group.hpp"
#include "probes/steal.hpp"

namespace tierscope {

/// Runs the blocks of one member. All memory is taken before the first block.
class BlockRunner {
 public:
  BlockRunner(const Group& group, Member& member, unsigned group_number, unsigned thread, std::uint32_t batch,
              double seconds, double block_s);
  /// Finds how many operations fill a block; its blocks are marked SIZING. Returns at once if known from before.
  void size() noexcept;
  /// Blocks until `seconds` have passed since the call.
  void run() noexcept;
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }

 private:
  std::uint64_t timed(std::uint16_t flags) noexcept;
  /// Ticks of one block: the least of two timings, or of more until one is not interrupted.
  std::uint64_t least_time() noexcept;
  std::uint64_t work() noexcept;
  std::uint64_t walk_block() noexcept;
  std::uint64_t walk(std::uint64_t begin, std::uint64_t end, std::uint64_t repeats) noexcept;
  void mark_steal() noexcept;
  void fit_block(double scale) noexcept;

  const Group& group_;
  Member& member_;
  const Clock& clock_;
  StealMeter meter_;
  double seconds_, block_s_;
  std::uint64_t granule_, switches_ = 0, stolen_ = 0, steal_due_ = 0, steal_period_;
  std::size_t unmarked_ = 0;  // first block since the last look at steal
  Block form_;
  std::vector<Block> blocks_;
};

}  // namespace tierscope
