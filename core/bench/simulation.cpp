#include "bench/simulation.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "bench/simulated_target.hpp"

namespace tierscope {
namespace {

using simulate::Time;

constexpr std::uint64_t ALIGNED = 2U << 20U;  // bytes: groups in one memory begin at large pages
constexpr std::uint64_t WARM_TWICE = 2;       // times what caches and buffers hold

/// Bytes of the pages that a plan asks for; transparent huge pages are always found.
std::uint64_t page_bytes(const GroupPlan& plan) {
  return plan.pages == "4k" ? 4096 : plan.pages == "1g" ? 1U << 30U : 2U << 20U;
}

/// Returns a digest of every word of the groups, which distinguishes the experiments of a run.
std::uint64_t digest(const std::vector<GroupPlan>& plans) {
  std::uint64_t sum = plans.size();
  for (const auto& plan : plans)
    for (const char letter : words_of(plan) + "\n") sum = mixed(sum + static_cast<unsigned char>(letter) + 1);
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
  batch_ = 0;
  try {
    for (const auto& plan : plans) refuse_real(plan);
    const auto place = simulate::parse_place(plans.front().where);
    if (place.machine.find(",pages.bytes=") != std::string::npos)
      throw BadPlan("sim:" + place.machine + ": a group says its pages itself; take pages=4k, thp, 2m or 1g");
    machine_ = std::make_unique<simulate::Machine>(place.machine +
                                                   ",pages.bytes=" + std::to_string(page_bytes(plans.front())) + "B");
    machine_->noise().begin(digest(plans));
    word_ = place.machine;
    now_ = 0;
    taken_.assign(machine_->regions().size(), 0);
    groups_.resize(plans.size());
    keyed_.clear();
    stores_ = std::vector<Store>(plans.size());
    walkers_ = decltype(walkers_)(plans.size());
    keyed_ = decltype(keyed_)(plans.size());
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
  if (page_bytes(plan) != machine_->page_bytes())
    throw BadPlan("pages=" + plan.pages + " beside groups with other pages; a simulated machine has pages of one size");
  groups_[number] = make_group(plan);
  place(number);
}

/// Finds addresses for the operands and a walker for each member.
void Simulation::place(std::size_t number) {
  auto& group = groups_[number];
  auto& store = stores_[number];
  const auto take = [&](Arena& arena, const std::string& where, std::uint64_t needed) {
    const auto [machine, memory] = simulate::parse_place(where);
    if (machine != word_)
      throw BadPlan("groups on sim:" + word_ + " and on sim:" + machine +
                    " at once: one machine is simulated, whose "
                    "memories memory=NAME tells apart");
    const auto region = machine_->region(memory);
    const auto base = taken_[region];
    taken_[region] += (needed + ALIGNED - 1) / ALIGNED * ALIGNED;
    const auto size = machine_->regions()[region].size;
    if (taken_[region] > size)
      throw BadPlan("memory " + machine_->regions()[region].name + " of sim:" + word_ + " has " + std::to_string(size) +
                    " bytes, fewer than the groups need; ask for smaller footprints");
    arena = simulated_arena(*machine_, region, where, needed);
    return (std::uint64_t{region} << simulate::MEMORY_BIT) + base;
  };
  const bool keyed = group.operation() == kernels::Operation::key;
  const auto needed = keyed ? Keyed::held_bytes(group.plan) : group.bytes_needed(false);
  const auto target = take(store.target, group.plan.where, needed);
  walkers_[number].clear();
  if (keyed) return place_keyed(number, target >> simulate::MEMORY_BIT << simulate::MEMORY_BIT);
  std::uint64_t source = 0;
  if (!group.plan.source.empty()) source = take(store.source, group.plan.source.substr(4), group.bytes_needed(true));
  std::array<std::uint64_t, kernels::OPERANDS> bases{};
  std::uint64_t offset[2]{};
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const bool apart = group.on_source(k);
    bases[k] = (apart ? source : target) + offset[apart ? 1 : 0];
    if (group.entry->info->operands[k].lines > 0 && group.walks())
      offset[apart ? 1 : 0] += group.operations * group.stride(k) + group.plan.skew;
  }
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    const auto form = form_of(number, m);
    walkers_[number].push_back(std::make_unique<Walker>(*machine_, group, m, Stream(group, m, bases), form));
  }
}

Block Simulation::form_of(std::size_t group, std::size_t member) const {
  Block form{};
  form.group = static_cast<std::uint16_t>(group);
  form.thread = static_cast<std::uint16_t>(member);
  form.cpu = static_cast<std::uint16_t>(groups_[group].members[member].cpu);
  return form;
}

/// Each member walks its slice, or what fills everything that remembers.
void Simulation::warm(std::size_t number) {
  warm_[number] = true;
  if (!keyed_[number].empty()) return warm_keyed(number);
  auto& walkers = walkers_[number];
  const auto lines = groups_[number].footprint() / simulate::LINE;
  const auto enough = WARM_TWICE * machine_->reach() / simulate::LINE;
  for (auto& walker : walkers) walker->warm(now_, std::min(lines, enough) / walkers.size() + 1);
  for (auto& walker : walkers) now_ = std::max(now_, walker->finish());
  for (auto& walker : walkers) walker->settle();
}

std::vector<Stepper*> Simulation::steppers_of(const std::vector<unsigned>& groups) {
  std::vector<Stepper*> found;
  std::vector<int> on_cpu(machine_->cpus(), -1);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups.empty() && std::ranges::find(groups, g) == groups.end()) continue;
    for (std::size_t m = 0; m < groups_[g].members.size(); ++m) {
      auto& taken = on_cpu[groups_[g].members[m].cpu];
      if (taken >= 0)
        throw BadPlan("CPU " + std::to_string(groups_[g].members[m].cpu) +
                      " is named twice; a simulated CPU runs one thread");
      taken = static_cast<int>(g);
      found.push_back(keyed_[g].empty() ? static_cast<Stepper*>(walkers_[g][m].get()) : keyed_[g][m].get());
    }
  }
  for (const unsigned number : groups)
    if (number >= groups_.size()) throw BadPlan("measure names group " + std::to_string(number) + "; prepare it first");
  return found;
}

std::uint64_t Simulation::measure(double seconds, double block_s, const std::vector<unsigned>& groups,
                                  SampleFile* samples) {
  const auto steppers = steppers_of(groups);
  const auto keyed = keyed_of(groups);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (!warm_[g]) warm(g);
  if (batch_ == 0) machine_->reset_counters();
  const auto time = [](double asked) { return static_cast<Time>(asked * simulate::TICKS_PER_S); };
  if (keyed) {
    run_rounds(*keyed, now_ + time(seconds));
  } else {
    run(steppers, now_ + time(seconds), time(block_s));
  }
  std::uint64_t rows = 0;
  for (auto* stepper : steppers) {
    rows += stepper->blocks().size();
    if (samples != nullptr) samples->append(stepper->blocks());
    stepper->blocks().clear();
  }
  ++batch_;
  return rows;
}

/// The thread whose next access may start first goes on until another's may start before.
void Simulation::run(const std::vector<Stepper*>& steppers, Time end, Time length) {
  std::vector<Time> ready;
  for (auto* stepper : steppers) ready.push_back(stepper->begin(now_, batch_));
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
  for (auto* stepper : steppers) now_ = std::max(now_, stepper->finish());
}

std::vector<double> Simulation::check() {
  std::vector<double> errors;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double largest = 0;
    for (const auto& walker : walkers_[g]) largest = std::max(largest, walker->error());
    for (const auto& walker : keyed_[g]) largest = std::max(largest, walker->keyed().check());
    errors.push_back(largest);
  }
  return errors;
}

std::map<std::string, std::uint64_t> Simulation::counters() const {
  return machine_ == nullptr ? std::map<std::string, std::uint64_t>{} : machine_->counters();
}

}  // namespace tierscope
