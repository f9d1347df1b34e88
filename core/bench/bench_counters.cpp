/// The part of the bench that counts performance events. Counters are opened on the threads whose blocks they count.
#include <exception>

#include "base/error.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"

namespace tierscope {

Counting Bench::count(const std::vector<std::vector<std::string>>& words) {
  counters_.clear();
  machine_counters_.reset();
  if (words.empty()) return {};
  for (const auto& group : groups_)
    if (group.entry->info->wait == kernels::Wait::processes)
      throw BadPlan("kernel " + group.plan.kernel +
                    " runs in processes of its own, which the counters of a thread leave out");
  std::vector<std::vector<Event>> events, of_machine;
  for (const auto& group : words) {
    std::vector<Event> of_thread;
    for (const auto& word : group) {
      auto event = make_event(word);
      event.cpu < 0 ? of_thread.push_back(std::move(event)) : of_machine.push_back({std::move(event)});
    }
    if (!of_thread.empty()) events.push_back(std::move(of_thread));
  }
  sys::raise_file_limit();
  if (!of_machine.empty()) machine_counters_ = std::make_unique<EventCounters>(of_machine);
  counters_.resize(seats_.size());
  std::vector<std::exception_ptr> errors(seats_.size());
  team_->run([&](std::size_t seat) {
    try {
      counters_[seat] = std::make_unique<EventCounters>(events);
    } catch (...) {
      errors[seat] = std::current_exception();
    }
  });
  for (const auto& error : errors)
    if (error != nullptr) std::rethrow_exception(error);
  return counting();
}

/// Threads may run on cores of two kinds. An event that one kind cannot count is reported as not counted at all.
Counting Bench::counting() const {
  Counting found{.events = counters_.front()->facts(),
                 .empty = std::vector<std::uint64_t>(counters_.front()->facts().size()),
                 .empty_blocks = EventCounters::EMPTY_BLOCKS * counters_.size(),
                 .machine = {}};
  for (const auto& counters : counters_) {
    found.pair_s += counters->pair_ns() * 1e-9 / static_cast<double>(counters_.size());
    for (std::size_t e = 0; e < found.events.size(); ++e) {
      if (found.events[e].reason.empty() && !counters->facts()[e].reason.empty())
        found.events[e] = counters->facts()[e];
      found.empty[e] += counters->empty()[e].value;
    }
  }
  if (machine_counters_ != nullptr) found.machine = machine_counters_->facts();
  return found;
}

std::vector<Counted> Bench::counted() const {
  std::vector<Counted> sums(groups_.size());
  for (std::size_t seat = 0; seat < counters_.size(); ++seat) {
    const auto& counters = *counters_[seat];
    auto& sum = sums[seats_[seat].group];
    sum.blocks += counters.blocks();
    sum.operations += counters.operations();
    sum.ticks += counters.ticks();
    const auto counts = counters.read();
    sum.events.resize(counts.size());
    for (std::size_t e = 0; e < counts.size(); ++e) {
      sum.events[e].value += counts[e].value;
      sum.events[e].enabled_ns += counts[e].enabled_ns;
      sum.events[e].running_ns += counts[e].running_ns;
      if (sum.events[e].reason.empty()) sum.events[e].reason = counts[e].reason;
    }
  }
  return sums;
}

Counted Bench::counted_of_machine() const {
  if (machine_counters_ == nullptr) return {};
  return {.blocks = machine_counters_->blocks(),
          .operations = machine_counters_->operations(),
          .ticks = machine_counters_->ticks(),
          .events = machine_counters_->read()};
}

}  // namespace tierscope
