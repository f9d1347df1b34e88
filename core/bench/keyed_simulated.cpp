#include "bench/keyed_simulated.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tierscope {

KeyedGroup::KeyedGroup(const SimulatedPlace& place) : store_(&place.store) {
  const auto& group = place.group;
  const auto base = place.target >> simulate::MEMORY_BIT << simulate::MEMORY_BIT;
  store_->victims.clear();
  store_->timings.clear();
  const bool flushes = store_->target.target->persistence().domain != "eadr";
  const auto team = std::make_shared<KeyedTeam>(group.members.size());
  const auto lock = std::make_shared<KeyedLock>();
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    auto keyed = std::make_unique<Keyed>(group.plan, m, team);
    walkers_.push_back(std::make_unique<KeyedWalker>(place.machine, group.members[m].cpu, *keyed,
                                                     TouchedLines(base, place.machine.line_bytes(), flushes),
                                                     place.form(m), keyed->locks() ? lock : nullptr));
    store_->victims.push_back(std::move(keyed));
  }
}

std::vector<Stepper*> KeyedGroup::steppers() {
  std::vector<Stepper*> all;
  for (const auto& walker : walkers_) all.push_back(walker.get());
  return all;
}

/// The time of the fill stays in the next timing, because gets fill only once.
void KeyedGroup::warm(Course& course) {
  run(course, course.now, 0);
  auto& timings = store_->timings;
  auto& kept = walkers_.front()->keyed().timing();
  kept.fills = timings.back().fills;
  kept.fill_ticks = timings.back().fill_ticks;
  timings.clear();
  for (const auto& walker : walkers_) walker->blocks().clear();
}

void KeyedGroup::run(Course& course, simulate::Time end, simulate::Time) {
  do {
    std::vector<Stepper*> filling;
    for (const auto& walker : walkers_)
      if (walker->prepare_fill()) filling.push_back(walker.get());
    if (!filling.empty()) course.run(filling, end, 0);
    for (const auto& walker : walkers_) walker->prepare_round();
    course.run(steppers(), end, 0);
    for (const auto& walker : walkers_)
      if (const auto why = walker->keyed().failure(); !why.empty()) throw BadPlan(why);
  } while (course.now < end);
  auto& timing = store_->timings.emplace_back();
  for (const auto& walker : walkers_) timing.merge(walker->keyed().take_timing());
}

double KeyedGroup::error() {
  double largest = 0;
  for (const auto& walker : walkers_) largest = std::max(largest, walker->keyed().check());
  return largest;
}

}  // namespace tierscope
