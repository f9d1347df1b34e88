/// What of a simulation runs structures: rounds of operations, whose accesses are recorded as they run.
#include "base/error.hpp"
#include "bench/simulation.hpp"

namespace tierscope {

void Simulation::place_keyed(std::size_t number, std::uint64_t base) {
  auto& group = groups_[number];
  auto& store = stores_[number];
  keyed_[number].clear();
  store.victims.clear();
  store.timings.clear();
  const bool flushes = store.target.target->persistence().domain != "eadr";
  const auto team = std::make_shared<KeyedTeam>(group.members.size());
  const auto lock = std::make_shared<KeyedLock>();
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    auto keyed = std::make_unique<Keyed>(group.plan, m, team);
    keyed_[number].push_back(std::make_unique<KeyedWalker>(*machine_, group.members[m].cpu, *keyed,
                                                           TouchedLines(base, flushes), form_of(number, m),
                                                           keyed->locks() ? lock : nullptr));
    store.victims.push_back(std::move(keyed));
  }
}

std::optional<std::size_t> Simulation::keyed_of(const std::vector<unsigned>& groups) const {
  std::optional<std::size_t> found;
  std::size_t named = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups.empty() && std::ranges::find(groups, g) == groups.end()) continue;
    ++named;
    if (!keyed_[g].empty()) found = g;
  }
  if (found && named > 1)
    throw BadPlan("structure " + groups_[*found].plan.kernel +
                  " beside another group at once has no simulated form: rounds do not end together; measure groups=" +
                  std::to_string(*found) + " alone");
  return found;
}

/// The fill and one round. What was filled in stays in the next timing, since gets fill once.
void Simulation::warm_keyed(std::size_t number) {
  run_rounds(number, now_);
  auto& timings = stores_[number].timings;
  auto& kept = keyed_[number].front()->keyed().timing();
  kept.fills = timings.back().fills;
  kept.fill_ticks = timings.back().fill_ticks;
  timings.clear();
  for (const auto& walker : keyed_[number]) walker->blocks().clear();
}

void Simulation::run_rounds(std::size_t number, simulate::Time end) {
  std::vector<Stepper*> all;
  for (const auto& walker : keyed_[number]) all.push_back(walker.get());
  do {
    std::vector<Stepper*> filling;
    for (const auto& walker : keyed_[number])
      if (walker->prepare_fill()) filling.push_back(walker.get());
    if (!filling.empty()) run(filling, end, 0);
    for (const auto& walker : keyed_[number]) walker->prepare_round();
    run(all, end, 0);
    for (const auto& walker : keyed_[number])
      if (const auto why = walker->keyed().failure(); !why.empty()) throw BadPlan(why);
  } while (now_ < end);
  auto& timing = stores_[number].timings.emplace_back();
  for (const auto& walker : keyed_[number]) timing.merge(walker->keyed().take_timing());
}

}  // namespace tierscope
