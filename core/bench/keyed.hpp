/// Operations on a structure, as tasks: one task is one round, a sequence of operations that was drawn before. What
/// makes or fills the structure lies outside of the timed blocks, and is timed apart. Each operation is timed by one
/// look at the clock behind it, which also begins the next one; a rehash that an operation left due is timed apart, as
/// is the wait for the lock where threads share a structure that changes.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "bench/operations.hpp"
#include "bench/plan.hpp"
#include "bench/rounds.hpp"
#include "bench/timing.hpp"
#include "structures/structure.hpp"
#include "targets/target.hpp"
#include "victims/victim.hpp"

namespace tierscope {

/// What the members of one group share.
struct KeyedTeam {
  explicit KeyedTeam(std::size_t threads) : rounds(threads) {}
  Rounds rounds;
  std::mutex lock;
  std::unique_ptr<Structure> structure;  // where it is one for all
};

class Keyed final : public Victim {
 public:
  /// Makes and fills the structure on the calling thread; where one is for all, the first member does.
  /// @throws as StructureEntry::open; BadPlan for words that do not fit; Unsupported where memory or room is lacking
  Keyed(const GroupPlan& plan, std::size_t member, std::shared_ptr<KeyedTeam> team);
  ~Keyed() override;

  void ready() noexcept override;
  void run() noexcept override;
  [[nodiscard]] std::uint64_t operations() const noexcept override { return steps_.size(); }
  [[nodiscard]] bool goes_on(bool wanted) noexcept override;
  [[nodiscard]] std::string failure() const override { return failure_; }
  /// Draws all rounds since the last fill again, and compares what is there, and how often it was found.
  [[nodiscard]] double check() const override;
  /// Of the keys and values alone: what a structure adds to them is its own.
  [[nodiscard]] std::size_t memory_bytes() const override;
  [[nodiscard]] std::string detail() const override;

  // Where time is simulated (bench/keyed_walker.hpp), what `ready` and `run` do is done in steps.
  /// Makes the structure anew and empty, where the next round needs that; then `fill_next` fills it.
  /// @throws as StructureEntry::open
  bool renew();
  /// Another key of the fill; false: all are in.
  bool fill_next();
  void draw() noexcept;
  /// Another operation of the round; false: all are done, or one has failed.
  bool step_next() noexcept;
  [[nodiscard]] bool rehash_due() const noexcept { return structure().rehash_due(); }
  /// How many entries were moved.
  std::uint64_t rehash() noexcept { return structure().rehash(); }
  [[nodiscard]] bool round_over() const noexcept { return next_ >= steps_.size() || !failure_.empty(); }
  void end_round() noexcept;
  [[nodiscard]] Timing& timing() noexcept { return timing_; }
  /// Whether all threads have one structure.
  [[nodiscard]] bool shared() const noexcept { return settings_.one; }
  /// Whether a lock stands before each operation.
  [[nodiscard]] bool locks() const noexcept { return settings_.one && sequence_.mix().changes(); }
  [[nodiscard]] bool persistent() const noexcept { return settings_.entry->persistent; }

  /// What the structures of all members take, at most.
  [[nodiscard]] static std::size_t held_bytes(const GroupPlan& plan);

  /// Since the last call.
  [[nodiscard]] Timing take_timing() noexcept;
  /// Where the values lie, of up to a thousand keys of this member.
  [[nodiscard]] Placement placement() const;

 private:
  struct Settings {
    const StructureEntry* entry = nullptr;
    StructureOptions options;
    int node = -1;         // where volatile memory is taken; -1: in a pool
    bool one = false;      // structure for all threads
    bool kept = false;     // the pool is the user's own: it is emptied, not made anew
    bool counted = false;  // its accesses are recorded, and time is simulated
  };
  static Settings settings_of(const GroupPlan& plan, std::size_t member);
  static void settle_simulated(const GroupPlan& plan, Settings& made);
  /// The first key of a member.
  static std::uint64_t share(const GroupPlan& plan, std::size_t member);
  [[nodiscard]] Structure& structure() const noexcept { return settings_.one ? *team_->structure : *own_; }
  [[nodiscard]] std::uint64_t key(std::uint64_t index) const noexcept;
  [[nodiscard]] bool makes() const noexcept { return !settings_.one || first_; }
  void bind_memory() const;
  void make();
  void empty();
  void fill();
  bool put(Structure& structure, std::uint64_t index);
  template <bool Locked>
  void go() noexcept;
  bool act(Structure& structure, operations::Step step) noexcept;
  std::uint64_t rehash(Structure& structure, std::uint64_t before) noexcept;
  [[nodiscard]] std::vector<bool> replayed(std::uint64_t& done) const;
  [[nodiscard]] bool holds(const std::vector<bool>& there) const;

  Settings settings_;
  std::shared_ptr<KeyedTeam> team_;
  bool first_;
  std::uint64_t count_;  // keys of the whole group
  operations::Sequence all_, sequence_;
  const Clock& clock_ = Clock::get();
  std::unique_ptr<Structure> own_;
  std::vector<operations::Step> steps_;
  std::vector<std::uint64_t> value_;      // whose first word becomes the key
  std::uint64_t round_ = 0, filled_ = 0;  // rounds that were run; that had been when it was filled
  std::uint64_t done_ = 0;                // since it was filled
  std::uint64_t next_ = 0;                // of the fill or of the round, where it is done in steps
  std::uint64_t wrong_ = 0;               // bits of values that gets found and that should not be there
  bool stale_ = false;                    // a round has left another number of keys than the next one needs
  Timing timing_;
  std::string failure_;
};

}  // namespace tierscope
