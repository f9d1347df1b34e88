/// Runs the threads of one program in the order of their own clocks, so that they meet at caches and memories as on a
/// real machine. A trace has the steps of one thread, then those of another. Here the steps wait in a list for each
/// thread. The thread whose clock is behind goes first, as soon as the lists are long enough to contain all threads
/// that run.
///
///   a new thread       begins at the time of the thread that is furthest behind
///   behind a call      to the system, a thread that had no steps while others continued has waited for them. It
///   continues
///                      at the time of those that have steps, or behind all if none has
///
/// Blind to: which thread takes a lock first, and waits that are shorter than the lists.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "simulate/access.hpp"
#include "simulate/flow.hpp"

namespace tierscope::simulate {

class Turns {
 public:
  /// `clock(thread)`: its time now. `wait(thread, time)`: it continues no earlier. `go(step)`: it does this step.
  template <class Clock, class Wait, class Go>
  void take(const flow::Step& step, const Clock& clock, const Wait& wait, const Go& go) {
    if (!lists_.contains(step.thread)) wait(step.thread, behind(clock).value_or(0));
    auto& list = lists_[step.thread];
    if (lists_.size() == 1) {
      last_called_ = calls(step);
      return go(step);
    }
    if (list.steps.empty() && (list.called || (list.alone && last_called_)))
      wait(step.thread, others(step.thread, clock));
    list.alone = false;
    list.steps.push_back({step.block, {step.accesses.begin(), step.accesses.end()}, step.guess});
    for (++waiting_; waiting_ > MOST;) next(clock, go);
  }
  /// Return whether the step is of the only thread so far. If so, it is known here, and whoever asks does it.
  bool leaves(const flow::Step& step) {
    if (lists_.size() != 1 || lists_.begin()->first != step.thread) return false;
    last_called_ = calls(step);
    return true;
  }
  /// Run until no step waits.
  template <class Clock, class Go>
  void finish(const Clock& clock, const Go& go) {
    while (waiting_ != 0) next(clock, go);
  }

 private:
  static constexpr std::size_t MOST = 1U << 15U;  // steps: some of the chunks in which a trace comes
  struct Kept {
    const flow::Block* block;
    std::vector<flow::Access> accesses;
    flow::Guess guess;
  };
  struct List {
    std::deque<Kept> steps;
    bool called = false;  // its last step ended in a call to the system
    bool alone = true;    // there was no second thread yet
  };
  static bool calls(const flow::Step& step) { return step.block->back().kind == flow::Class::system; }

  template <class Clock, class Go>
  void next(const Clock& clock, const Go& go) {
    const auto thread = *pick(clock);
    auto& list = lists_[thread];
    const auto kept = std::move(list.steps.front());
    list.steps.pop_front();
    --waiting_;
    const flow::Step step{thread, kept.block, kept.accesses, nullptr, nullptr, kept.guess};
    list.called = calls(step);
    go(step);
  }
  /// Return the thread that is behind, among those with steps.
  template <class Clock>
  std::optional<std::uint32_t> pick(const Clock& clock) const {
    std::optional<std::uint32_t> found;
    for (const auto& [thread, list] : lists_)
      if (!list.steps.empty() && (!found || clock(thread) < clock(*found))) found = thread;
    return found;
  }
  template <class Clock>
  std::optional<Time> behind(const Clock& clock) const {
    if (const auto found = pick(clock)) return clock(*found);
    std::optional<Time> latest;
    for (const auto& [thread, list] : lists_) latest = std::max(latest.value_or(0), clock(thread));
    return latest;
  }
  template <class Clock>
  Time others(std::uint32_t self, const Clock& clock) const {
    if (const auto found = pick(clock)) return clock(*found);
    Time latest = 0;
    for (const auto& [thread, list] : lists_)
      if (thread != self) latest = std::max(latest, clock(thread));
    return latest;
  }
  std::map<std::uint32_t, List> lists_;
  std::size_t waiting_ = 0;
  bool last_called_ = false;  // the value for the first thread, while it was alone
};

}  // namespace tierscope::simulate
