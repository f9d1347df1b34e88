#include "cli/simulated.hpp"

#include <numeric>

namespace tierscope::topology {
namespace {

/// Add a cache. The level is its place in the hierarchy, one instance for each `shared` CPUs.
void add_cache(Machine& machine, const simulate::CacheFacts& facts, unsigned level,
               const simulate::Machine& simulated) {
  for (unsigned first = 0; first < simulated.cpus(); first += facts.shared) {
    Cache cache{level, level == 1 ? "Data" : "Unified", facts.size, facts.ways, 0, {}};
    cache.line_bytes = static_cast<unsigned>(simulated.line_bytes());
    for (unsigned cpu = first; cpu < first + facts.shared; ++cpu) cache.cpus.push_back(cpu);
    machine.caches.push_back(cache);
  }
}

}  // namespace

Machine of_simulated(const simulate::Machine& simulated) {
  constexpr unsigned LOCAL = 10, REMOTE = 20;  // distances as firmware would report them
  Machine machine;
  const auto cpus = simulated.cpus();
  const auto home = simulated.region("");
  for (unsigned cpu = 0; cpu < cpus; ++cpu) machine.cpus.push_back({cpu, cpu, 0, home, true, 0});
  unsigned level = 0;
  for (const auto& facts : simulated.cache_facts()) add_cache(machine, facts, ++level, simulated);
  machine.page_bytes = simulated.pages().base;
  machine.large_page_bytes = simulated.pages().large;
  const auto& regions = simulated.regions();
  for (unsigned number = 0; number < regions.size(); ++number) {
    Node node{number, {}, regions[number].size, regions[number].size, {}, {}};
    if (number == home) {
      node.cpus.resize(cpus);
      std::iota(node.cpus.begin(), node.cpus.end(), 0U);
    }
    for (unsigned other = 0; other < regions.size(); ++other)
      node.distances.push_back(other == number ? LOCAL : REMOTE);
    machine.nodes.push_back(node);
  }
  return machine;
}

}  // namespace tierscope::topology
