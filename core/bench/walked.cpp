#include "bench/walked.hpp"

#include <algorithm>

#include "bench/task.hpp"

namespace tierscope {
namespace {

constexpr std::uint64_t WARM_TWICE = 2;  // times the capacity of caches and buffers

/// Addresses of the operands, as `place` of bench/group.hpp lays them out.
Bases bases_of(const SimulatedPlace& place) {
  const auto& group = place.group;
  Bases bases{};
  std::uint64_t offset[2]{};
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const bool apart = group.on_source(k);
    const auto margin = group.task->margin(group, k);
    bases[k] = (apart ? place.source : place.target) + offset[apart ? 1 : 0] + margin;
    if (group.entry->info->operands[k].lines > 0 && group.task->walks())
      offset[apart ? 1 : 0] += group.operations * group.stride(k) + group.task->skew(group) + 2 * margin;
  }
  return bases;
}

}  // namespace

WalkedGroup::WalkedGroup(const SimulatedPlace& place) : group_(&place.group), reach_(place.machine.reach()) {
  const auto bases = bases_of(place);
  for (std::size_t m = 0; m < place.group.members.size(); ++m)
    walkers_.push_back(
        std::make_unique<Walker>(place.machine, place.group, m, make_stream(place.group, m, bases), place.form(m)));
}

std::vector<Stepper*> WalkedGroup::steppers() {
  std::vector<Stepper*> all;
  for (auto& walker : walkers_) all.push_back(walker.get());
  return all;
}

/// Each member walks its slice, or enough to fill all caches and buffers.
void WalkedGroup::warm(Course& course) {
  const auto lines = group_->footprint() / simulate::LINE;
  const auto enough = WARM_TWICE * reach_ / simulate::LINE;
  for (auto& walker : walkers_) walker->warm(course.now, std::min(lines, enough) / walkers_.size() + 1);
  for (auto& walker : walkers_) course.now = std::max(course.now, walker->finish());
  for (auto& walker : walkers_) walker->settle();
}

double WalkedGroup::error() {
  double largest = 0;
  for (const auto& walker : walkers_) largest = std::max(largest, walker->error());
  return largest;
}

}  // namespace tierscope
