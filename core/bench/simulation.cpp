#include "bench/simulation.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "bench/simulated_target.hpp"
#include "bench/task.hpp"
#include "recorded/recorder.hpp"
#include "targets/pages.hpp"

namespace tierscope {
namespace {

using simulate::Time;

constexpr std::uint64_t ALIGNED = 2U << 20U;  // bytes: groups in one memory begin at large pages

/// Bytes of the pages that a plan asks for; transparent large pages are always granted. @throws BadPlan
std::uint64_t page_bytes(const GroupPlan& plan, const simulate::Pages& pages) {
  if (plan.pages == "thp") return pages.large;
  const auto bytes = pages::bytes_of(plan.pages), base = pages.base;
  if (bytes == 0)
    throw BadPlan("unknown pages '" + plan.pages + "' (known: " + pages::word_of(base) + ", thp, 2m, 1g)");
  if (bytes < base)
    throw BadPlan("pages=" + plan.pages + ": the smallest pages of this simulated machine are " + pages::word_of(base) +
                  "; take pages=" + pages::word_of(base));
  return bytes;
}

/// Returns a digest of every word of the groups, which distinguishes the experiments of a run.
std::uint64_t digest(const std::vector<GroupPlan>& plans) {
  std::uint64_t sum = plans.size();
  for (const auto& plan : plans)
    for (const char letter : words_of(plan) + "\n") sum = mixed(sum + static_cast<unsigned char>(letter) + 1);
  return sum;
}

std::size_t threads_of(const std::vector<GroupPlan>& plans) {
  std::size_t sum = 0;
  for (const auto& plan : plans) sum += plan.cpus.size();
  return sum;
}

/// @throws BadPlan
void refuse_real(const GroupPlan& plan) {
  const bool target = plan.target == "sim", source = plan.source.empty() || plan.source.starts_with("sim:");
  if (target && source) return;
  const auto word =
      target ? "source=" + plan.source : "target=" + plan.target + (plan.where.empty() ? "" : ":" + plan.where);
  throw BadPlan(word + " is real and another target of this experiment simulated; take sim: for all of them");
}

}  // namespace

Simulation::Simulation() = default;
Simulation::~Simulation() = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::prepare(const std::vector<GroupPlan>& plans) {
  groups_.clear();
  course_ = {};
  try {
    for (const auto& plan : plans) refuse_real(plan);
    const auto place = simulate::parse_place(plans.front().where);
    if (place.machine.find(",pages.bytes=") != std::string::npos)
      throw BadPlan("sim:" + place.machine + ": a group states its own pages; take pages=4k, thp, 2m or 1g");
    const auto bytes = page_bytes(plans.front(), simulate::pages_of(simulate::read_config(place.machine)));
    machine_ = std::make_unique<simulate::Machine>(place.machine + ",pages.bytes=" + std::to_string(bytes) + "B",
                                                   digest(plans), threads_of(plans));
    word_ = place.machine;
    taken_.assign(machine_->regions().size(), 0);
    groups_.resize(plans.size());
    simulated_.clear();
    stores_ = std::vector<Store>(plans.size());
    simulated_.resize(plans.size());
    recorded::forget();
    warm_.assign(plans.size(), false);
    for (std::size_t g = 0; g < plans.size(); ++g) add(g, plans[g]);
  } catch (...) {
    groups_.clear();
    throw;
  }
}

void Simulation::set(std::size_t number, const GroupPlan& plan) {
  try {
    std::fill(taken_.begin(), taken_.end(), 0);
    warm_[number] = false;
    for (std::size_t g = 0; g < groups_.size(); ++g) add(g, g == number ? plan : groups_[g].plan);
  } catch (...) {
    groups_.clear();
    throw;
  }
}

void Simulation::add(std::size_t number, const GroupPlan& plan) {
  refuse_real(plan);
  for (const auto cpu : plan.cpus)
    if (cpu >= machine_->cpus())
      throw BadPlan("CPU " + std::to_string(cpu) + " is not in sim:" + word_ + ", which has CPUs 0 to " +
                    std::to_string(machine_->cpus() - 1) + "; cpu.count=N gives it more");
  if (page_bytes(plan, machine_->pages()) != machine_->page_bytes())
    throw BadPlan("pages=" + plan.pages +
                  " cannot go with groups that have other pages; a simulated machine has pages of one size");
  groups_[number] = make_group(plan);
  groups_[number].line = machine_->line_bytes();
  groups_[number].streams_stores = machine_->limits().streaming > 0;
  place(number);
}

std::uint64_t Simulation::take(Arena& arena, const std::string& where, std::uint64_t needed) {
  const auto [machine, memory] = simulate::parse_place(where);
  if (machine != word_)
    throw BadPlan("groups on sim:" + word_ + " and on sim:" + machine +
                  " at the same time: one machine is simulated, whose "
                  "memories memory=NAME selects");
  const auto region = machine_->region(memory);
  const auto base = taken_[region];
  taken_[region] += (needed + ALIGNED - 1) / ALIGNED * ALIGNED;
  const auto size = machine_->regions()[region].size;
  if (taken_[region] > size)
    throw BadPlan("memory " + machine_->regions()[region].name + " of sim:" + word_ + " has " + std::to_string(size) +
                  " bytes, fewer than the groups need; ask for smaller footprints");
  arena = simulated_arena(*machine_, region, where, needed);
  return (std::uint64_t{region} << simulate::MEMORY_BIT) + base;
}

/// Finds addresses for the group's memory, and makes its simulated group.
void Simulation::place(std::size_t number) {
  auto& group = groups_[number];
  auto& store = stores_[number];
  simulated_[number].reset();
  const auto target = take(store.target, group.plan.where, group.task->simulated_bytes(group));
  const auto source =
      group.plan.source.empty() ? 0 : take(store.source, group.plan.source.substr(4), group.bytes_needed(true));
  simulated_[number] = group.task->simulate({*machine_, group, store, target, source,
                                             [this, number](std::size_t member) { return form_of(number, member); }});
}

Block Simulation::form_of(std::size_t group, std::size_t member) const {
  Block form{};
  form.group = static_cast<std::uint16_t>(group);
  form.thread = static_cast<std::uint16_t>(member);
  form.cpu = static_cast<std::uint16_t>(groups_[group].members[member].cpu);
  return form;
}

std::vector<std::size_t> Simulation::named(const std::vector<unsigned>& groups) const {
  std::vector<std::size_t> found;
  std::vector<bool> taken(machine_->cpus());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups.empty() && std::ranges::find(groups, g) == groups.end()) continue;
    found.push_back(g);
    for (const auto& member : groups_[g].members) {
      if (taken[member.cpu])
        throw BadPlan("CPU " + std::to_string(member.cpu) + " is named twice; a simulated CPU runs one thread");
      taken[member.cpu] = true;
    }
  }
  for (const unsigned number : groups)
    if (number >= groups_.size()) throw BadPlan("measure names group " + std::to_string(number) + "; prepare it first");
  for (const auto g : found)
    if (simulated_[g]->alone() && found.size() > 1)
      throw BadPlan(
          "structure " + groups_[g].plan.kernel +
          " with another group at the same time has no simulated form: rounds do not end together; measure groups=" +
          std::to_string(g) + " alone");
  return found;
}

/// Groups whose threads meet run on one course.
void Simulation::run(const std::vector<std::size_t>& groups, Time end, Time length) {
  if (groups.size() == 1) return simulated_[groups.front()]->run(course_, end, length);
  std::vector<Stepper*> all;
  for (const auto g : groups)
    for (auto* stepper : simulated_[g]->steppers()) all.push_back(stepper);
  course_.run(all, end, length);
}

std::uint64_t Simulation::measure(double seconds, double block_s, const std::vector<unsigned>& groups,
                                  SampleFile* samples) {
  const auto chosen = named(groups);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (!warm_[g]) {
      warm_[g] = true;
      simulated_[g]->warm(course_);
    }
  if (course_.batch == 0) machine_->reset_counters();
  const auto time = [](double asked) { return static_cast<Time>(asked * simulate::TICKS_PER_S); };
  run(chosen, course_.now + time(seconds), time(block_s));
  std::uint64_t rows = 0;
  for (const auto g : chosen)
    for (auto* stepper : simulated_[g]->steppers()) {
      rows += stepper->blocks().size();
      if (samples != nullptr) samples->append(stepper->blocks());
      stepper->blocks().clear();
    }
  ++course_.batch;
  return rows;
}

/// The thread whose next access may start first runs until another's may start before.
void Course::run(const std::vector<Stepper*>& steppers, Time end, Time length) {
  std::vector<Time> ready;
  for (auto* stepper : steppers) ready.push_back(stepper->begin(now, batch));
  auto open = static_cast<std::size_t>(std::ranges::count_if(ready, [](Time at) { return at != simulate::NEVER; }));
  while (open > 0) {
    const auto first = std::ranges::min_element(ready);
    auto& its = *first;
    Time second = simulate::NEVER - 1;
    for (auto other = ready.begin(); other != ready.end(); ++other)
      if (other != first) second = std::min(second, *other);
    auto& stepper = *steppers[static_cast<std::size_t>(first - ready.begin())];
    do {
      its = stepper.step(its, end, length);
    } while (its <= second);
    open -= its == simulate::NEVER ? 1 : 0;
  }
  for (auto* stepper : steppers) now = std::max(now, stepper->finish());
}

std::vector<double> Simulation::check() {
  std::vector<double> errors;
  for (const auto& its : simulated_) errors.push_back(its->error());
  return errors;
}

std::map<std::string, std::uint64_t> Simulation::counters() const {
  return machine_ == nullptr ? std::map<std::string, std::uint64_t>{} : machine_->counters();
}

}  // namespace tierscope
