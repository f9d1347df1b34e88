/// A hierarchy of caches over a memory.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "simulate/entry.hpp"
#include "simulate/memory.hpp"

namespace tierscope::simulate {

/// One level as the machine's facts state it.
struct CacheFacts {
  std::string name;
  std::uint64_t size = 0;
  unsigned ways = 0;
  unsigned shared = 1;  // CPUs on one of them
  Time latency = 0;     // of a hit, from the core
};

class Caches {
 public:
  /// `levels`: the sections [[cache]], nearest first; none leaves the memory bare. @throws BadPlan
  Caches(const std::vector<Section>& levels, unsigned cpus, std::uint64_t seed, Memory& below);
  ~Caches();
  [[nodiscard]] const std::vector<CacheFacts>& facts() const noexcept;
  /// As Machine::access. Write-back, write-allocate; store_nt drops the line from all levels and goes to the memory;
  /// clwb writes a dirty line back and keeps it, clflush and clflushopt drop it too.
  Time access(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
    if (kind <= Kind::store) {
      const auto& front = fronts_[cpu];
      if (at_once(**front.last, address & ADDRESS, kind == Kind::store)) {
        ++front.uses[kind == Kind::store];
        return at + front.latency;
      }
    }
    return otherwise(cpu, address, kind, at);
  }
  void count(Counters& counters) const;
  void reset_counters();

 private:
  class Levels;
  /// Of one CPU, its nearest cache: the entry used last, counts of loads and of stores, the latency of a hit.
  struct Front {
    Entry* const* last;
    std::uint64_t* uses;
    Time latency;
  };
  Time otherwise(unsigned cpu, std::uint64_t address, Kind kind, Time at);
  std::vector<Front> fronts_;
  std::unique_ptr<Levels> levels_;
};

}  // namespace tierscope::simulate
