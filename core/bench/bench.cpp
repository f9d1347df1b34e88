#include "bench/bench.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/registry.hpp"

namespace tierscope {
namespace {

std::size_t bytes_needed(const Group& group) { return group.footprint() + (kernels::OPERANDS - 1) * group.plan.skew; }

}  // namespace

void Bench::prepare(const std::vector<GroupPlan>& plans) {
  groups_.clear();
  batch_ = 0;
  std::vector<Group> groups;
  for (const auto& plan : plans) groups.push_back(make_group(plan));
  std::vector<unsigned> all;
  for (const auto& plan : plans) all.insert(all.end(), plan.cpus.begin(), plan.cpus.end());
  std::ranges::sort(all);
  if (const auto twice = std::ranges::adjacent_find(all); twice != all.end())
    throw BadPlan("CPU " + std::to_string(*twice) + " is in two groups");
  groups_ = std::move(groups);
  arenas_.resize(groups_.size());
  try {
    make_team();
    for (std::size_t g = 0; g < groups_.size(); ++g) map(g);
  } catch (...) {
    groups_.clear();
    throw;
  }
}

void Bench::set(std::size_t number, const GroupPlan& plan) {
  Group group = make_group(plan);
  if (plan.cpus != groups_[number].plan.cpus) throw BadPlan("set cannot change cpus=; prepare again");
  groups_[number] = std::move(group);
  try {
    map(number);
  } catch (...) {
    groups_.clear();  // the memory of the old group may be gone
    throw;
  }
}

/// Threads are kept while the CPUs stay the same.
void Bench::make_team() {
  seats_.clear();
  std::vector<unsigned> cpus;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t m = 0; m < groups_[g].members.size(); ++m) {
      seats_.push_back({g, m});
      cpus.push_back(groups_[g].members[m].cpu);
    }
  if (team_ != nullptr && cpus == cpus_) return;
  team_.reset();
  cpus_.clear();
  team_ = std::make_unique<Team>(cpus);
  cpus_ = cpus;
}

/// Finds memory for one group, fills it if it does not hold what the group needs, and asks where it lies.
void Bench::map(std::size_t number) {
  auto& group = groups_[number];
  auto& arena = arenas_[number];
  const auto word = group.plan.target + ":" + group.plan.where;
  const auto needed = bytes_needed(group);
  if (arena.word != word || arena.pages != group.plan.pages || arena.buffer.bytes().size() < needed) {
    arena = Arena{};  // the old mapping goes first: both at once might not fit
    const auto& entry = Registry<TargetEntry>::find("target", group.plan.target);
    Arena fresh{word, group.plan.pages, entry.make({group.plan.where, group.plan.pages}), {}, {}, false, {}};
    const bool wants = group.entry->info->content != kernels::Content::nothing;
    if (wants && !fresh.target->serves_memory())
      throw Unsupported("target " + group.plan.target + " holds no memory for kernel " + group.plan.kernel +
                        "; it serves noop alone");
    if (wants) fresh.buffer = fresh.target->map(needed);
    arena = std::move(fresh);
  }
  place(group, arena.buffer.bytes());
  fill(number);
}

void Bench::fill(std::size_t number) {
  auto& group = groups_[number];
  auto& arena = arenas_[number];
  const bool fresh = arena.content != group.content();
  team_->run([&](std::size_t thread) {
    if (seats_[thread].group != number) return;
    if (fresh)
      tierscope::fill(group, seats_[thread].member, arena.buffer.bytes());
    else
      stir(group, seats_[thread].member);
  });
  arena.content = group.content();
  if (!arena.inspected && arena.target->serves_memory()) arena.placement = arena.target->inspect(arena.buffer);
  arena.inspected = true;
}

std::uint64_t Bench::measure(double seconds, double block_s, SampleFile* samples) {
  std::vector<std::unique_ptr<BlockRunner>> runners;
  for (const auto [g, m] : seats_)
    runners.push_back(std::make_unique<BlockRunner>(groups_[g], groups_[g].members[m], static_cast<unsigned>(g),
                                                    static_cast<unsigned>(m), batch_, seconds, block_s));
  SpinBarrier sized(seats_.size());
  team_->run([&](std::size_t thread) {
    runners[thread]->size();
    sized.arrive_and_wait();
    runners[thread]->run();
  });
  std::uint64_t rows = 0;
  for (const auto& runner : runners) {
    if (samples != nullptr) samples->append(runner->blocks());
    rows += runner->blocks().size();
  }
  ++batch_;
  return rows;
}

std::vector<double> Bench::check() {
  std::vector<double> of_seat(seats_.size());
  team_->run(
      [&](std::size_t thread) { of_seat[thread] = verify(groups_[seats_[thread].group], seats_[thread].member); });
  std::vector<double> worst(groups_.size());
  for (std::size_t s = 0; s < seats_.size(); ++s) worst[seats_[s].group] = std::max(worst[seats_[s].group], of_seat[s]);
  return worst;
}

}  // namespace tierscope
