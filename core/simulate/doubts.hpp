/// Accesses to the last cache whose answer a gap of a sampled program may have changed. The cache of a trace keeps its
/// lines over a gap, and gets none that the program used in it.
///
/// A way is *stale* if its last use was before the last gap. The program may have another line there. So a read from
/// memory is *cold* if a way of its set is stale: the program may have had the line. If the oldest line of a set is
/// replaced, lines that were used since the gap are the same in both, and the read fills a stale way.
///
/// A hit of a line is *gone* if its last use was before a gap, and 2 fills + aged since then are at least the lines of
/// the cache.
///
/// The distance of a line in the order of use is at least the fills: lines that came into the cache of the trace. It is
/// taken as twice that, since lines that stay are used as well.
/// Aged are the lines that the program read from memory in gaps, if it read as many for an instruction as in what was
/// traced since the gap before. Hits of stale lines count as reads there: if they are reads, the gap has as many.
///
/// Blind to: lines of the cache that were used again in a gap; lines that the program removed in a gap.
/// In caches that do not replace the oldest line, a read may fill a way that was used since the gap.
/// It counts no hits of a last cache that is also the nearest one.
/// Source: D. A. Wood, M. D. Hill, R. E. Kessler, "A Model for Estimating Trace-Sample Miss Ratios", SIGMETRICS 1991
/// (references whose answer a sample does not show).
/// Source: D. Eklov, E. Hagersten, "StatStack: Efficient Modeling of LRU Caches", ISPASS 2010 (distance by rates).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace tierscope::simulate {

class Doubts {
 public:
  struct Counts {
    std::uint64_t reads = 0, cold = 0, gone = 0;  // reads: all from memory
  };
  /// @param caches  of the last level; sets, ways: of each, entries in the order of `Cache::index`; reads: so far
  Doubts(std::size_t caches, std::size_t sets, std::size_t ways, std::uint64_t reads)
      : sets_(sets),
        ways_(static_cast<std::uint32_t>(ways)),
        lines_(sets * ways),
        caches_(caches),
        counts_{reads, 0, 0} {}
  /// A gap of this number of instructions begins; `ran` were traced since the last one.
  void gap(std::uint64_t instructions, std::uint64_t ran) {
    const auto aged = static_cast<double>(instructions) * static_cast<double>(reads_and_stale() - before_) /
                      static_cast<double>(std::max<std::uint64_t>(ran, 1));
    clock_ += 1 + static_cast<std::uint32_t>(std::min(aged, static_cast<double>(lines_)));
    gap_ = clock_;
    before_ = reads_and_stale();
    for (auto& cache : caches_) std::ranges::fill(cache.stale, ways_);
  }
  void fill(std::size_t cache, std::size_t entry, bool read) {
    clock_ += 2;
    counts_.reads += read;
    counts_.cold += read && of(cache).stale[entry % sets_] != 0;
    use(cache, entry);
  }
  void hit(std::size_t cache, std::size_t entry) {
    const auto distance = use(cache, entry);
    const bool stale = distance > clock_ - gap_;
    stale_hits_ += stale;
    counts_.gone += stale && distance >= lines_;
  }
  /// A line is read from memory that the cache of the trace has, but lost to others (kept.hpp). The program may have
  /// used it in a gap.
  void lost(std::size_t cache, std::size_t entry) {
    ++counts_.reads;
    counts_.cold += use(cache, entry) > clock_ - gap_;
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  [[nodiscard]] std::uint64_t reads_and_stale() const noexcept { return counts_.reads + stale_hits_; }
  struct Uses {
    std::vector<std::uint32_t> last;   // by entry: the clock at its last use; 0: before all gaps
    std::vector<std::uint32_t> stale;  // by set: its ways
  };
  Uses& of(std::size_t cache) {
    auto& uses = caches_[cache];
    if (uses.last.empty()) uses = {std::vector<std::uint32_t>(lines_), std::vector<std::uint32_t>(sets_, ways_)};
    return uses;
  }
  /// Use an entry now; return the clock since its use before.
  std::uint32_t use(std::size_t cache, std::size_t entry) {
    auto& uses = of(cache);
    const auto distance = clock_ - uses.last[entry];  // modulo 2^32
    if (distance > clock_ - gap_) --uses.stale[entry % sets_];
    uses.last[entry] = clock_;
    return distance;
  }
  std::size_t sets_;
  std::uint32_t ways_;
  std::size_t lines_;
  std::vector<Uses> caches_;
  std::uint32_t clock_ = 0, gap_ = 0;          // now; at the last gap
  std::uint64_t stale_hits_ = 0, before_ = 0;  // so far; those and the reads up to the last gap
  Counts counts_;
};

}  // namespace tierscope::simulate
