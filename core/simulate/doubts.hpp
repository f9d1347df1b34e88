/// Accesses to the last cache whose answer a gap of a sampled program may have changed. The cache of a trace keeps its
/// lines over a gap, and gets none that the program used in it.
///
/// A read from memory that fills an empty way is *cold*: the program may have had the line there.
///
/// A hit of a line is *gone* if its last use was before a gap, and 2 fills + aged since then are at least the lines of
/// the cache.
///
/// The distance of a line in the order of use is at least the fills: lines that came into the cache of the trace. It is
/// taken as twice that, since lines that stay are used as well.
/// Aged are the lines that the program read from memory in gaps, if it read as many for an instruction as in what was
/// traced since the gap before.
///
/// Blind to: reads of lines that a gap brought into a full cache; lines of the cache that were used again in a gap.
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
  /// @param caches  of the last level; lines: that each contains; reads: so far
  Doubts(std::size_t caches, std::size_t lines, std::uint64_t reads)
      : lines_(lines), used_(caches), counts_{reads, 0, 0} {}
  /// A gap of this number of instructions begins; `ran` were traced since the last one.
  void gap(std::uint64_t instructions, std::uint64_t ran) {
    const auto aged = static_cast<double>(instructions) * static_cast<double>(counts_.reads - reads_) /
                      static_cast<double>(std::max<std::uint64_t>(ran, 1));
    clock_ += static_cast<std::uint32_t>(std::min(aged, static_cast<double>(lines_)));
    gap_ = clock_;
    reads_ = counts_.reads;
  }
  void fill(std::size_t cache, std::size_t entry, bool empty, bool read) {
    clock_ += 2;
    counts_.reads += read;
    counts_.cold += read && empty;
    last_use(cache, entry) = clock_;
  }
  void hit(std::size_t cache, std::size_t entry) {
    auto& last = last_use(cache, entry);
    const auto distance = clock_ - last;  // modulo 2^32
    counts_.gone += distance >= lines_ && distance > clock_ - gap_;
    last = clock_;
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 private:
  std::uint32_t& last_use(std::size_t cache, std::size_t entry) {
    auto& used = used_[cache];
    if (used.empty()) used.resize(lines_);
    return used[entry];
  }
  std::size_t lines_;
  std::vector<std::vector<std::uint32_t>> used_;  // by cache and entry: the clock at its last use; 0: before all gaps
  std::uint32_t clock_ = 0, gap_ = 0;             // now; at the last gap
  std::uint64_t reads_ = 0;                       // at the last gap
  Counts counts_;
};

}  // namespace tierscope::simulate
