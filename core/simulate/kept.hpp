/// How long the last cache keeps lines for this machine, where others use the cache as well: guests on other cores of
/// the same processor, which the simulation does not contain.
///
/// A cache that replaces its oldest line, and to which others bring lines all the time, loses a line of this machine
/// some time after its last use, however few lines this machine uses. Its own lines replace one another as always.
///
///     lost    time since the last use > keep
///
/// The time of a use is that of its access. After `run_to` it is the number of instructions that ran before it, about
/// which machines agree that take their content from one another. A line that leaves the cache before the last one was
/// in use until then.
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
      : entries_(entries), unit_(std::max<Time>(keep / PARTS, 1)), last_(caches) {}
  /// Uses are at this time from now on, unless instructions count.
  void come_to(Time at) {
    if (by_instructions_) return;
    now_ = static_cast<std::uint32_t>(at / unit_);
    oldest_ = now_ - PARTS;
  }
  /// From now on, instructions are the time: these ran, and uses before the `oldest` of them are too long ago.
  void run_to(std::uint64_t instructions, std::uint64_t oldest) {
    by_instructions_ = true;
    now_ = static_cast<std::uint32_t>(instructions / GRAIN);
    oldest_ = static_cast<std::uint32_t>(oldest / GRAIN);
  }
  /// Use an entry; return whether others have taken its line since its last use.
  bool use(std::size_t cache, std::size_t entry) {
    auto& last = of(cache)[entry];
    const bool lost = is_before(last, oldest_);
    if (by_instructions_ || is_before(last, now_)) last = now_;  // another CPU may have used it a little later
    return lost;
  }
  /// A new line has the entry, whatever was there.
  void fill(std::size_t cache, std::size_t entry) { of(cache)[entry] = now_; }
  void copy(std::size_t cache, const Kept& from) { last_[cache] = from.last_[cache]; }

 private:
  static constexpr std::uint32_t PARTS = 1024;     // of the time, in its smallest unit
  static constexpr std::uint64_t GRAIN = 1 << 10;  // instructions
  static bool is_before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(b - a) > 0; }
  std::vector<std::uint32_t>& of(std::size_t cache) {
    auto& last = last_[cache];
    if (last.empty()) last.resize(entries_);
    return last;
  }
  std::size_t entries_;
  Time unit_;
  bool by_instructions_ = false;
  std::uint32_t now_ = 0, oldest_ = 0;
  std::vector<std::vector<std::uint32_t>> last_;  // by cache and entry: the unit of its last use
};

}  // namespace tierscope::simulate
