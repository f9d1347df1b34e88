/// How long the last cache keeps lines for this machine, where others use the cache as well: guests on other cores of
/// the same processor, which the simulation does not contain.
///
/// A cache that replaces its oldest line, and to which others bring lines all the time, loses a line of this machine
/// some time after its last use, however few lines this machine uses. Its own lines replace one another as always.
///
///     lost    time since the last use > keep
///
/// The time of a use is that of its access; or, after `run_to`, the number of instructions that ran before it, so that
/// machines which take their content from one another agree about it. A line that leaves the cache before the last one
/// was in use until then.
/// Blind to: how many lines others bring, which changes; that an inclusive cache takes lost lines from nearer ones,
/// too.
/// Source: D. Chandra et al., "Predicting Inter-Thread Cache Contention on a Chip Multi-Processor Architecture", HPCA
/// 2005 (the lines of others age those of a thread).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

class Kept {
 public:
  /// @param caches  of the last level; entries: of each, in the order of `Cache::index`
  Kept(std::size_t caches, std::size_t entries, Time keep)
      : entries_(entries), keep_(keep), unit_(std::max<Time>(keep / PARTS, 1)), limit_(PARTS), last_(caches) {}
  /// Uses are at this time from now on, unless instructions count.
  void come_to(Time at) {
    if (!by_instructions_) now_ = static_cast<std::uint32_t>(at / unit_);
  }
  /// Use an entry; return whether others have taken its line since its last use.
  bool use(std::size_t cache, std::size_t entry) {
    auto& last = last_[cache];
    if (last.empty()) last.resize(entries_);
    const auto age = static_cast<std::int32_t>(now_ - last[entry]);  // negative: another CPU used it a little later
    if (age > 0) last[entry] = now_;
    return age > limit_;
  }
  /// A new line has the entry, whatever was there.
  void fill(std::size_t cache, std::size_t entry) {
    use(cache, entry);
    last_[cache][entry] = now_;
  }
  /// From now on, time is counted in instructions, as `seconds` for each show.
  void run_to(std::uint64_t instructions, double seconds) {
    by_instructions_ = true;
    now_ = static_cast<std::uint32_t>(instructions / GRAIN);
    const double units = static_cast<double>(keep_) / TICKS_PER_S / seconds / static_cast<double>(GRAIN);
    limit_ = static_cast<std::int32_t>(std::clamp(units, 1.0, 1e9));
  }
  void copy(std::size_t cache, const Kept& from) { last_[cache] = from.last_[cache]; }

 private:
  static constexpr std::int32_t PARTS = 1024;      // of the time, in its smallest unit
  static constexpr std::uint64_t GRAIN = 1 << 10;  // instructions
  std::size_t entries_;
  Time keep_, unit_;
  std::int32_t limit_;
  bool by_instructions_ = false;
  std::uint32_t now_ = 0;
  std::vector<std::vector<std::uint32_t>> last_;  // by cache and entry: the unit of its last use
};

}  // namespace tierscope::simulate
