/// One thread's blocks: how long a block is, what is timed, how it is marked.
#pragma once
#include <atomic>
#include <vector>

#include "base/clock.hpp"
#include "bench/block.hpp"
#include "bench/turn.hpp"
#include "probes/steal.hpp"

namespace tierscope {

/// The state that the threads of one batch share.
struct Batch {
  std::uint32_t number = 0;
  double seconds = 0, block_s = 0;
  bool tasks = false;                   // some member runs tasks: the batch ends with the last of them
  std::atomic<std::size_t> sizing{0};   // members that still look for the size of their blocks
  std::atomic<std::size_t> leading{0};  // members still at work of those that decide when the batch ends
  std::atomic<std::size_t> asking{0};   // members still at work that wait for another's answer
  Ceilings ceilings;                    // of the emulated tiers that its groups use
};

constexpr int SIZING_BLOCKS = 24;  // doublings from one line to seconds
constexpr int SIZING_TIMINGS = 8;  // of one block; with two rivals each is interrupted in one of three

/// Runs the blocks of one member. It allocates all memory before the first block.
/// A member leads, or it runs for as long as another leads. If some members run tasks, those lead, and all others
/// follow. When two threads hand lines over, the second one runs for as long as the first one asks, in sizing too.
class BlockRunner {
 public:
  BlockRunner(const Group& group, Member& member, unsigned group_number, unsigned thread, Batch& batch);
  /// Return whether this member will lead; `batch` counts it from then on.
  [[nodiscard]] bool leads() const noexcept { return leads_; }
  /// Return whether it only answers another member, and needs no block size of its own.
  [[nodiscard]] bool answers() const noexcept { return answers_; }
  /// Return whether it waits for such a member in every block; `batch` counts it from then on.
  [[nodiscard]] bool asks() const noexcept { return asks_; }
  /// Finds how many operations fill a block; marks its blocks SIZING. Returns immediately if the size is known.
  void size() noexcept;
  /// Runs blocks until the batch's seconds have passed since the call, until no other member leads, or until none asks.
  void run() noexcept;
  /// Does the same for a task whose blocks are of this manner (bench/turn.hpp); defined in bench/timed.hpp.
  template <class Manner>
  void size_as() noexcept;
  template <class Manner>
  void run_as() noexcept;
  /// To be called if `size` or `run` ended early: the others stop waiting for this member.
  void give_up() noexcept;
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }

 private:
  template <class Manner>
  void fit() noexcept;
  template <class Manner>
  std::uint64_t timed(std::uint16_t flags) noexcept;
  /// Returns the ticks of one block: the shorter of two timings, or of more until one is not interrupted.
  template <class Manner>
  std::uint64_t least_time() noexcept;
  void end_sizing() noexcept;
  void end_leading() noexcept;
  void begin_run() noexcept;
  void mark_steal() noexcept;
  void scale_block(double scale) noexcept;
  /// Marks a block and keeps it. raw_s: its duration by the other clock.
  void keep(std::uint64_t start, std::uint64_t stop, double raw_s, std::uint64_t operations,
            std::uint16_t flags) noexcept;

  const Group& group_;
  Member& member_;
  Batch& batch_;
  const Clock& clock_;
  StealMeter meter_;
  Turn turn_;
  bool answers_;  // the second thread of a hand-over
  bool asks_, leads_;
  bool sizing_, leading_, asking_;  // counted in `batch_`
  std::uint64_t switches_ = 0, stolen_ = 0, steal_due_ = 0, steal_period_;
  std::size_t unmarked_ = 0;  // first block since the last look at steal
  Block form_;
  std::vector<Block> blocks_;
};

}  // namespace tierscope
