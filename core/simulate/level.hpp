/// One level of the hierarchy: its caches, one for every `shared` CPUs, and the counters of all of them.
#pragma once
#include <array>
#include <vector>

#include "simulate/cache.hpp"
#include "simulate/caches.hpp"
#include "simulate/prefetcher.hpp"

namespace tierscope::simulate {

enum class Use : std::uint8_t { load, store, prefetch };

/// Counts of lines. `uses`: hits and misses; a prefetch is a miss only if it brought a line in.
struct Events {
  std::array<std::uint64_t, 3> uses{}, misses{};
  std::uint64_t prefetch_uses = 0;  // brought by a prefetch, then used
  std::uint64_t writebacks = 0;     // dirty lines that were replaced
  std::uint64_t flushes = 0;        // dirty lines written because of clwb, clflush, clflushopt
  std::uint64_t invalidations = 0;  // lines that another level or another CPU removed
  std::uint64_t transfers = 0;      // dirty lines handed to another CPU
};

struct Level {
  CacheFacts facts;
  bool inclusive = false;
  std::vector<Cache> caches;
  std::vector<Prefetcher> prefetchers;  // one for each cache; empty: no prefetch
  Events events;
};

/// `sections`: the sections [[cache]], nearest first. @throws BadPlan naming the key
std::vector<Level> read_levels(const std::vector<Section>& sections, unsigned cpus, std::uint64_t seed,
                               std::uint64_t line = LINE);
void count_events(const Level& level, Counters& counters);

}  // namespace tierscope::simulate
