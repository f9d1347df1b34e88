/// Address translation: the cost of an access before its line is looked up.
#pragma once
#include <memory>
#include <vector>

#include "simulate/caches.hpp"

namespace tierscope::simulate {

/// The pages that are translated. A share of them is in parts, each with an entry of its own, as where the host of a
/// guest maps them so; `seed` decides which.
struct Translated {
  std::uint64_t page_bytes = 0, part_bytes = 0;  // powers of two
  double split = 0;
  std::uint64_t seed = 0;
};

/// The cost of a miss in all levels: `base` and one load of a page-table entry. A CPU makes `parallel` page walks at
/// the same time, and a further one waits; 0: any number.
struct WalkLimits {
  Time base = 0;
  unsigned parallel = 0;
};

class Tlbs {
 public:
  /// `levels`: the sections [[tlb]], nearest first. Page-table entries are loaded through `caches`. @throws BadPlan
  Tlbs(const std::vector<Section>& levels, unsigned cpus, const Translated& pages, const WalkLimits& walk,
       Caches& caches);
  ~Tlbs();
  /// Return when the translation of the address, requested at `at`, is known.
  Time translate(unsigned cpu, std::uint64_t address, Time at);
  /// Return the number of what has an entry: the page of the address, or a part of it.
  [[nodiscard]] std::uint64_t entry_of(std::uint64_t address) const;
  /// As `translate` for instructions, which have a first level of their own, if there is a second one.
  Time translate_code(unsigned cpu, std::uint64_t address, Time at);
  /// Translate without times: return the address of the entry that a page walk reads, or 0 if a level has the page.
  std::uint64_t walk_of(unsigned cpu, std::uint64_t address);
  /// Return whether the other ones keep the same pages after the same accesses.
  [[nodiscard]] bool like(const Tlbs& other) const;
  /// Take the pages that those of a CPU have in others, which are `like` these.
  void copy(unsigned cpu, const Tlbs& from);
  void count(Counters& counters) const;
  void reset_counters();

 private:
  class Levels;
  std::unique_ptr<Levels> levels_;
};

}  // namespace tierscope::simulate
