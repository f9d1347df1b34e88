/// All caches of a machine: the caches on each CPU's way to memory, and those that may contain a line.
#pragma once
#include <algorithm>

#include "simulate/level.hpp"
#include "simulate/owners.hpp"

namespace tierscope::simulate {

class Lineup {
 public:
  Lineup(const std::vector<Section>& sections, unsigned cpus, std::uint64_t seed, std::uint64_t line)
      : levels_(read_levels(sections, cpus, seed, line)),
        depth_(static_cast<unsigned>(levels_.size())),
        cpus_(cpus),
        owners_(cpus) {
    for (unsigned c = 0; c < cpus; ++c)
      for (auto& level : levels_) path_.push_back(&level.caches[c / level.facts.shared]);
  }

  Cache& cache(unsigned cpu, unsigned level) const noexcept { return *path_[cpu * depth_ + level]; }
  Time latency(unsigned level) const noexcept { return levels_[std::min(level, depth_ - 1)].facts.latency; }

  /// Call visit(cache, level, cpu) for all caches nearer than `end` that may contain the line, of CPUs first...last -
  /// 1.
  template <class Visit>
  void each(Entry line, unsigned first, unsigned last, unsigned end, Visit visit) {
    const unsigned owner = owners_.of(line);
    if (owner == Owners::NOBODY) return;
    const bool several = owner == Owners::SEVERAL;
    if (!several && (owner - 1 < first || owner - 1 >= last)) return;
    for (unsigned k = 0; k < end; ++k)
      for (unsigned c = several ? first : owner - 1; c < last; c += levels_[k].facts.shared) {
        if (cache(c, k).used()) visit(cache(c, k), k, c);
        if (!several) break;
      }
  }
  /// Return the first level that both CPUs share.
  [[nodiscard]] unsigned meeting(unsigned a, unsigned b) const noexcept {
    unsigned k = 0;
    while (k < depth_ && &cache(a, k) != &cache(b, k)) ++k;
    return k;
  }

  std::vector<Level> levels_;
  unsigned depth_, cpus_;
  std::vector<Cache*> path_;  // the caches of CPU c: from c * depth_ on, nearest first
  Owners owners_;
};

}  // namespace tierscope::simulate
