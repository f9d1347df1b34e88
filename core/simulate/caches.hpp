/// A hierarchy of caches over a memory.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulate/doubts.hpp"
#include "simulate/lines.hpp"
#include "simulate/touch.hpp"

namespace tierscope::simulate {

/// One level as the machine's facts state it.
struct CacheFacts {
  std::string name;
  std::uint64_t size = 0;
  unsigned ways = 0;
  unsigned shared = 1;  // CPUs that share one
  Time latency = 0;     // of a hit, from the core
  Time keep = 0;        // of the last one, after the last use of a line (kept.hpp); 0: for ever
};

class Caches {
 public:
  /// `levels`: the sections [[cache]], nearest first; without any, accesses go to the memory. `line`: bytes of their
  /// lines.
  /// @throws BadPlan
  Caches(const std::vector<Section>& levels, unsigned cpus, std::uint64_t seed, Memory& below,
         std::uint64_t line = LINE);
  ~Caches();
  [[nodiscard]] const std::vector<CacheFacts>& facts() const noexcept;
  /// As Machine::access. Write-back, write-allocate. store_nt drops the line from all levels and goes to the memory.
  /// clwb writes a dirty line back and keeps it; clflush and clflushopt also drop it.
  Time access(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
    if (kind <= Kind::store) {
      const auto& front = fronts_[cpu];
      if (at_once(**front.last, lines_.number64(address) & ADDRESS, kind == Kind::store)) {
        ++front.uses[kind == Kind::store];
        return at + front.latency;
      }
    }
    return otherwise(cpu, address, kind, at);
  }
  /// As `access` of a load or a store, if `near`; else change nothing and return NEVER.
  Time access_near(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
    const auto& front = fronts_[cpu];
    const Entry line = lines_.number64(address) & ADDRESS;
    if (!at_once(**front.last, line, kind == Kind::store)) return otherwise_near(cpu, line, kind, at);
    ++front.uses[kind == Kind::store];
    return at + front.latency;
  }
  /// Load a line of instructions, which the nearest cache does not get if there are others.
  Time code(unsigned cpu, std::uint64_t address, Time at);
  /// Count what `access` would count for each of them, in order, and change the caches in the same way, for callers
  /// that do not need times. All happens at the time 0, and the memory may receive its requests in another order. Up to
  /// 4x as fast for one CPU alone whose caches are not inclusive and do not prefetch.
  void touch(unsigned cpu, std::span<const Touch> touches);
  /// Return whether the nearest cache has the line, or will have it when its flight ends.
  [[nodiscard]] bool near(unsigned cpu, std::uint64_t address) const {
    const Entry line = lines_.number64(address) & ADDRESS;
    return (**fronts_[cpu].last & KEY) == (line | VALID) || otherwise_near(cpu, line);
  }
  /// Return whether the other ones keep the same lines after the same accesses, at whatever times.
  [[nodiscard]] bool like(const Caches& other) const;
  /// Take the lines that the caches of a CPU have in others, which are `like` these. No line is on its way.
  void copy(unsigned cpu, const Caches& from);
  /// A gap of this number of instructions begins in which nothing is known of lines; `ran` were traced since the last
  /// one.
  void begin_gap(std::uint64_t instructions, std::uint64_t ran);
  /// Return the accesses that such gaps may have changed.
  [[nodiscard]] Doubts::Counts doubts() const;
  /// As Kept::run_to, if others use the last cache.
  void run_to(std::uint64_t instructions, std::uint64_t oldest);
  void count(Counters& counters) const;
  void reset_counters();

 private:
  class Levels;
  /// The nearest cache of one CPU: the entry used last, counts of loads and of stores, the latency of a hit.
  struct Front {
    Entry* const* last;
    std::uint64_t* uses;
    Time latency;
  };
  Time otherwise(unsigned cpu, std::uint64_t address, Kind kind, Time at);
  [[nodiscard]] bool otherwise_near(unsigned cpu, Entry line) const;
  Time otherwise_near(unsigned cpu, Entry line, Kind kind, Time at);
  Lines lines_;
  std::vector<Front> fronts_;
  std::vector<Touch> wide_;  // touches of lines above 64 bytes, in the form that the levels use
  std::unique_ptr<Levels> levels_;
};

}  // namespace tierscope::simulate
