#include "bench/bench.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/awake.hpp"
#include "bench/task.hpp"

namespace tierscope {
namespace {

/// Finds the memory that is asked for. Keeps the earlier mapping where it is large enough.
void find_memory(Arena& arena, const std::string& word, const GroupPlan& plan, std::uint64_t needed, bool wanted) {
  if (arena.word == word && arena.pages == plan.pages && arena.buffer.bytes().size() >= needed) return;
  arena = Arena{};  // unmaps first: the old and the new mapping together might not fit
  const auto colon = word.find(':');
  const auto name = word.substr(0, colon);
  const auto where = colon == std::string::npos ? "" : word.substr(colon + 1);
  const auto& entry = Registry<TargetEntry>::find("target", name);
  Arena fresh{word, plan.pages, entry.make({where, plan.pages}), {}, {}, false, {}};
  if (wanted && !fresh.target->serves_memory())
    throw Unsupported("target " + name + " has no memory for kernel " + plan.kernel +
                      "; it serves only kernels without memory");
  if (wanted) fresh.buffer = fresh.target->map(needed);
  arena = std::move(fresh);
}

/// @throws BadPlan where what the target adds has no effect on the task
void heed_emulation(Group& group, const Store& store) {
  group.target_adds = store.target.target->emulation();
  if (store.source.target != nullptr) group.source_adds = store.source.target->emulation();
  group.task->require_reached(group);
}

}  // namespace

void Bench::prepare(const std::vector<GroupPlan>& plans) {
  groups_.clear();
  counters_.clear();
  machine_counters_.reset();
  batch_ = 0;
  std::vector<Group> groups;
  for (const auto& plan : plans) groups.push_back(make_group(plan));
  groups_ = std::move(groups);
  stores_.resize(groups_.size());
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

/// Finds memory for one group, fills it unless it already contains what the group needs, and looks up where it is.
void Bench::map(std::size_t number) {
  auto& group = groups_[number];
  auto& store = stores_[number];
  const auto& plan = group.plan;
  const auto asks = group.task->asks(group);
  const bool wants = asks > 0 || group.entry->info->content != kernels::Content::nothing;
  if (plan.source.empty()) store.source = Arena{};
  find_memory(store.target, plan.target + ":" + plan.where, plan, asks > 0 ? asks : group.bytes_needed(false), wants);
  if (!plan.source.empty()) find_memory(store.source, plan.source, plan, group.bytes_needed(true), wants);
  heed_emulation(group, store);
  place(group, store.target.buffer.bytes(), store.source.buffer.bytes());
  fill(number);
  make_victims(number);
}

void Bench::fill(std::size_t number) {
  auto& store = stores_[number];
  const bool fresh = store.target.content != groups_[number].content();
  fill(number, store.target);
  if (store.source.target != nullptr) fill(number, store.source);
  if (!fresh)
    run_watched(seats_in(number), [&](std::size_t seat, fault::Watch& watch) {
      watch.run(fault::After::leave, [&] { stir(groups_[number], seats_[seat].member); });
    });
  if (groups_[number].task->remembers(groups_[number]))
    run_watched(seats_in(number), [&](std::size_t seat, fault::Watch& watch) {
      watch.run(fault::After::zeros, [&] { remember(groups_[number], seats_[seat].member); });
    });
}

void Bench::fill(std::size_t number, Arena& arena) {
  const auto& group = groups_[number];
  if (arena.content != group.content())
    run_watched(seats_in(number), [&](std::size_t seat, fault::Watch& watch) {
      watch.run(fault::After::leave, [&] { tierscope::fill(group, seats_[seat].member, arena.buffer.bytes()); });
    });
  arena.content = group.content();
  if (!arena.inspected && arena.target->serves_memory()) inspect(number, arena);
  arena.inspected = true;
}

/// The memory may become unreadable before the first block, too.
void Bench::inspect(std::size_t number, Arena& arena) {
  try {
    arena.placement = arena.target->inspect(arena.buffer);
  } catch (const Fault& fault) {
    refuse_fault(number, arena, fault.what());
  }
}

std::vector<std::size_t> Bench::seats_in(std::size_t group) const {
  std::vector<std::size_t> seats;
  for (std::size_t seat = 0; seat < seats_.size(); ++seat)
    if (seats_[seat].group == group) seats.push_back(seat);
  return seats;
}

void Bench::run_watched(std::span<const std::size_t> seats,
                        const std::function<void(std::size_t, fault::Watch&)>& job) {
  std::vector<std::unique_ptr<fault::Watch>> watches(seats_.size());
  for (const auto seat : seats) {
    const auto& store = stores_[seats_[seat].group];
    watches[seat] = std::make_unique<fault::Watch>(
        std::vector<std::span<std::byte>>{store.target.buffer.bytes(), store.source.buffer.bytes()});
  }
  fault::listen();
  team_->run(seats, [&](std::size_t seat) { job(seat, *watches[seat]); });
  for (const auto seat : seats)
    if (watches[seat]->hit()) refuse_fault(seats_[seat].group, *watches[seat]);
}

void Bench::refuse_fault(std::size_t group, const fault::Watch& watch) {
  const auto& store = stores_[group];
  const auto target = store.target.buffer.bytes();
  const bool source = watch.address() - reinterpret_cast<std::uintptr_t>(target.data()) >= target.size();
  const auto& arena = source ? store.source : store.target;
  refuse_fault(group, arena, fault::told(watch, arena.buffer.bytes()));
}

void Bench::refuse_fault(std::size_t group, const Arena& arena, const std::string& why) {
  auto& store = stores_[group];
  const auto message = (&arena == &store.source ? "source " : "target ") + arena.word + ": " + why;
  groups_.clear();
  store = Store{};
  throw Fault(message);
}

std::vector<std::size_t> Bench::seats_of(const std::vector<unsigned>& groups) const {
  for (const unsigned number : groups)
    if (number >= groups_.size()) throw BadPlan("measure names group " + std::to_string(number) + "; prepare it first");
  std::vector<std::size_t> seats;
  std::map<unsigned, std::size_t> on_cpu;
  for (std::size_t s = 0; s < seats_.size(); ++s) {
    const auto& group = groups_[seats_[s].group];
    if (!groups.empty() && std::ranges::find(groups, seats_[s].group) == groups.end()) continue;
    const auto cpu = group.members[seats_[s].member].cpu;
    const auto [other, alone] = on_cpu.emplace(cpu, seats_[s].group);
    if (!alone && !(group.plan.shared && groups_[other->second].plan.shared))
      throw BadPlan("CPU " + std::to_string(cpu) + " is in two groups; shared=1 in both lets them share it");
    seats.push_back(s);
  }
  return seats;
}

std::uint64_t Bench::measure(double seconds, double block_s, const std::vector<unsigned>& groups, SampleFile* samples) {
  const auto seats = seats_of(groups);
  Batch batch;
  batch.number = batch_;
  batch.seconds = seconds;
  batch.block_s = block_s;
  for (const auto seat : seats) batch.tasks = batch.tasks || groups_[seats_[seat].group].task->whole();
  std::vector<std::unique_ptr<BlockRunner>> runners(seats_.size());
  for (const auto seat : seats) {
    const auto [g, m] = seats_[seat];
    groups_[g].members[m].events = counters_.empty() ? nullptr : counters_[seat].get();
    runners[seat] = std::make_unique<BlockRunner>(groups_[g], groups_[g].members[m], static_cast<unsigned>(g),
                                                  static_cast<unsigned>(m), batch);
    batch.leading += runners[seat]->leads() ? 1 : 0;
    batch.sizing += runners[seat]->answers() ? 0 : 1;
    batch.asking += runners[seat]->asks() ? 1 : 0;
  }
  SpinBarrier awake(seats.size()), sized(seats.size());
  const auto began = Clock::get().now();
  if (machine_counters_ != nullptr) machine_counters_->start();
  run_watched(seats, [&](std::size_t seat, fault::Watch& watch) {
    auto& runner = *runners[seat];
    if (!watch.run(fault::After::leave, [&] { wake(seat); })) runner.give_up();
    awake.arrive_and_wait();
    if (!watch.hit() && !watch.run(fault::After::leave, [&] { runner.size(); })) runner.give_up();
    sized.arrive_and_wait();
    if (!watch.hit() && !watch.run(fault::After::leave, [&] { runner.run(); })) runner.give_up();
  });
  const auto ended = Clock::get().now();
  if (machine_counters_ != nullptr) machine_counters_->stop(0, ended - began);
  std::uint64_t rows = 0;
  for (const auto seat : seats) {
    groups_[seats_[seat].group].members[seats_[seat].member].ended = ended;
    if (samples != nullptr) samples->append(runners[seat]->blocks());
    rows += runners[seat]->blocks().size();
  }
  ++batch_;
  refuse_failures(seats);
  keep_timings(seats);
  return rows;
}

void Bench::wake(std::size_t seat) const noexcept {
  const auto [number, member] = seats_[seat];
  const auto ended = groups_[number].members[member].ended;
  const auto& clock = Clock::get();
  if (ended == 0 || clock.seconds(clock.now() - ended) > RESTED_S)
    tierscope::wake(groups_[number], member, stores_[number]);
}

std::vector<double> Bench::check() {
  std::vector<double> of_seat(seats_.size());
  std::vector<std::size_t> seats(seats_.size());
  std::iota(seats.begin(), seats.end(), std::size_t{0});
  run_watched(seats, [&](std::size_t seat, fault::Watch& watch) {
    watch.run(fault::After::zeros, [&] { of_seat[seat] = verify(groups_[seats_[seat].group], seats_[seat].member); });
  });
  std::vector<double> worst(groups_.size());
  for (std::size_t s = 0; s < seats_.size(); ++s) worst[seats_[s].group] = std::max(worst[seats_[s].group], of_seat[s]);
  return worst;
}

}  // namespace tierscope
