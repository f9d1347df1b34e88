/// The part of the bench that runs tasks and structures. The threads that run them make them, and the bench keeps them
/// while a plan asks for the same.
#include <exception>

#include "base/error.hpp"
#include "bench/bench.hpp"
#include "bench/keyed.hpp"
#include "bench/task.hpp"

namespace tierscope {
namespace {

/// Returns the part of a plan that determines the group's victims.
std::string victims_of(const GroupPlan& plan) {
  Words words;
  plan.work.get()->add_words(words);
  auto made = plan.kernel + "\n" + std::to_string(plan.seed) + "\n" + std::to_string(plan.per_block) + "\n" +
              plan.target + ":" + plan.where;
  for (const auto& [key, word] : words) made += "\n" + key + "=" + word;
  for (const auto cpu : plan.cpus) made += "\n" + std::to_string(cpu);
  return made;
}

}  // namespace

/// Makes a victim on the thread that will run it, so that its memory is local to that thread. One victim at a time,
/// because each looks up how much memory is free.
std::unique_ptr<Victim> Bench::make_on(std::size_t seat, const std::shared_ptr<KeyedTeam>& team) {
  std::unique_ptr<Victim> victim;
  std::exception_ptr error;
  team_->run(std::span(&seat, 1), [&](std::size_t) {
    try {
      const auto& group = groups_[seats_[seat].group];
      victim = group.task->make(group, seats_[seat].member, team);
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (error != nullptr) std::rethrow_exception(error);
  return victim;
}

/// Makes the victims of a group, or keeps them while the plan asks for the same.
void Bench::make_victims(std::size_t number) {
  auto& group = groups_[number];
  auto& store = stores_[number];
  const bool tasks = group.task->whole();
  store.timings.clear();
  const auto wanted = tasks ? victims_of(group.plan) : "";
  if (store.made != wanted) {
    store.victims.clear();
    store.made.clear();
    const auto team = std::make_shared<KeyedTeam>(group.members.size());
    for (std::size_t seat = 0; seat < seats_.size() && tasks; ++seat)
      if (seats_[seat].group == number) store.victims.push_back(make_on(seat, team));
    store.made = wanted;
  }
  for (std::size_t m = 0; m < store.victims.size(); ++m) group.members[m].victim = store.victims[m].get();
  group.task->look_up(store);
}

void Bench::refuse_failures(const std::vector<std::size_t>& seats) const {
  for (const auto seat : seats) {
    const auto* victim = groups_[seats_[seat].group].members[seats_[seat].member].victim;
    if (victim == nullptr) continue;
    if (const auto why = victim->failure(); !why.empty()) throw BadPlan(why);
  }
}

void Bench::keep_timings(const std::vector<std::size_t>& seats) {
  for (const auto seat : seats) {
    const auto [g, m] = seats_[seat];
    groups_[g].task->keep(stores_[g], m);
  }
}

}  // namespace tierscope
