/// Operations on a structure, as tasks. One task is one round: a sequence of operations that was drawn before. The
/// structure is made and filled outside of the timed blocks, and this is timed separately. Each operation is timed by
/// one look at the clock after it, which also starts the next one. Two times are kept separately: a rehash that an
/// operation left due, and the wait for the lock where threads share a structure that changes.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "bench/operations.hpp"
#include "bench/plan.hpp"
#include "bench/rounds.hpp"
#include "bench/timing.hpp"
#include "recorded/delays.hpp"
#include "structures/structure.hpp"
#include "targets/target.hpp"
#include "victims/victim.hpp"

namespace tierscope {

/// The state that the members of one group share.
struct KeyedTeam {
  explicit KeyedTeam(std::size_t threads) : rounds(threads) {}
  Rounds rounds;
  std::mutex lock;
  std::unique_ptr<Structure> structure;  // if all members share one
};

class Keyed final : public Victim {
 public:
  /// Makes and fills the structure on the calling thread; where all members share one, the first member does.
  /// adds: what the tier adds to each load.
  /// @throws as StructureEntry::open; BadPlan for keys that do not fit; Unsupported where memory or disk space is short
  Keyed(const GroupPlan& plan, std::size_t member, std::shared_ptr<KeyedTeam> team, const Emulation& adds = {});
  ~Keyed() override;

  void ready() noexcept override;
  void run() noexcept override;
  [[nodiscard]] std::uint64_t operations() const noexcept override { return steps_.size(); }
  [[nodiscard]] bool goes_on(bool wanted) noexcept override;
  [[nodiscard]] std::string failure() const override { return failure_; }
  /// Draws all rounds since the last fill again, and compares the keys present and the number of keys found.
  [[nodiscard]] double check() const override;
  /// Bytes of the keys and values alone, without the overhead of the structure.
  [[nodiscard]] std::size_t memory_bytes() const override;
  [[nodiscard]] std::string detail() const override;

  // Where time is simulated (bench/keyed_walker.hpp), these functions do the work of `ready` and `run` in steps.
  /// Makes an empty structure again, where the next round needs that; then `fill_next` fills it.
  /// @throws as StructureEntry::open
  bool renew();
  /// Fills in another key; false if all are in.
  bool fill_next();
  void draw() noexcept;
  /// Runs another operation of the round; false if all are done, or one has failed.
  bool step_next() noexcept;
  [[nodiscard]] bool rehash_due() const noexcept { return structure().rehash_due(); }
  /// Returns the number of entries moved.
  std::uint64_t rehash() noexcept { return structure().rehash(); }
  [[nodiscard]] bool round_over() const noexcept { return next_ >= steps_.size() || !failure_.empty(); }
  void end_round() noexcept;
  [[nodiscard]] Timing& timing() noexcept { return timing_; }
  /// Return whether all threads have one structure.
  [[nodiscard]] bool shared() const noexcept { return settings_.one; }
  /// Return whether each operation takes a lock first.
  [[nodiscard]] bool locks() const noexcept { return settings_.one && sequence_.mix().changes(); }
  [[nodiscard]] bool persistent() const noexcept { return settings_.entry->persistent; }

  /// Bytes that the structures of all members need, at most.
  [[nodiscard]] static std::size_t held_bytes(const GroupPlan& plan);

  /// Times since the last call.
  [[nodiscard]] Timing take_timing() noexcept;
  /// Location of the values, of up to a thousand keys of this member.
  [[nodiscard]] Placement placement() const;

 private:
  struct Settings {
    const StructureEntry* entry = nullptr;
    StructureOptions options;
    int node = -1;         // node of volatile memory, also of an emulated tier; -1: in a pool
    bool one = false;      // one structure for all threads
    bool kept = false;     // the pool is the user's own: it is emptied, not made again
    bool counted = false;  // its accesses are recorded, and time is simulated
    double floor_s = 0;    // of its loads, on an emulated tier; 0: none
  };
  static Settings settings_of(const GroupPlan& plan, std::size_t member, const Emulation& adds);
  static void settle_simulated(const GroupPlan& plan, Settings& made);
  static void settle_emulated(const GroupPlan& plan, const Emulation& adds, Settings& made);
  /// The first key of a member.
  static std::uint64_t share(const GroupPlan& plan, std::size_t member);
  [[nodiscard]] Structure& structure() const noexcept { return settings_.one ? *team_->structure : *own_; }
  [[nodiscard]] std::uint64_t key(std::uint64_t index) const noexcept;
  [[nodiscard]] bool makes() const noexcept { return !settings_.one || first_; }
  void bind_memory() const;
  void make();
  void note_fill(std::uint64_t begin) noexcept;
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
  std::vector<std::uint64_t> value_;  // whose first word becomes the key
  std::optional<recorded::Delays> delays_;
  std::uint64_t round_ = 0, filled_ = 0;  // rounds so far; rounds before the last fill
  std::uint64_t done_ = 0;                // since the last fill
  std::uint64_t next_ = 0;                // of the fill or of the round, when it runs in steps
  std::uint64_t wrong_ = 0;               // bits of values that gets found and that should not be set
  bool stale_ = false;                    // the last round left another number of keys than the next one needs
  Timing timing_;
  std::string failure_;
};

}  // namespace tierscope
