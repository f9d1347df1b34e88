/// Runs the threads of one program in the order of their own clocks, so that they meet at caches and memories as on a
/// real machine. A trace has the steps of one thread, then those of another. Here the steps wait in a list for each
/// thread. The thread whose clock is behind goes first, as soon as the lists are long enough to contain all threads
/// that run.
///
///   a new thread       begins at the time of the thread that is furthest behind
///   behind a call      to the system, a thread that had no steps while others continued has waited for them. It
///                      continues at the time of those that have steps, or behind all if none has
///
/// Blind to: which thread takes a lock first, and waits that are shorter than the lists.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "simulate/access.hpp"
#include "simulate/flow.hpp"

namespace tierscope::simulate {

/// A `Turn` is a step of a trace: `turn.step()` returns it.
template <class Turn>
class Turns {
 public:
  /// `clock(thread)`: its time now. `wait(thread, time)`: it continues no earlier. `go(turn)`: it does this step.
  template <class Clock, class Wait, class Go>
  void take(Turn turn, const Clock& clock, const Wait& wait, const Go& go) {
    const auto& step = turn.step();
    const auto thread = step.thread;
    if (!lists_.contains(thread)) wait(thread, behind(clock).value_or(0));
    auto& list = lists_[thread];
    if (lists_.size() == 1) {
      list.called = calls(step);
      return go(turn);
    }
    if (list.steps.empty()) {
      if (list.called) wait(thread, others(thread, clock));
      list.clock = clock(thread);
    }
    list.steps.push_back({std::move(turn), ++taken_});
    for (++waiting_; waiting_ > MOST;) next(clock, go);
    while (taken_ % LOOK == 0 && is_old()) next(clock, go);
  }
  /// Return whether the step is of the only thread so far. If so, it is known here, and whoever asks does it.
  bool leaves(const flow::Step& step) {
    if (lists_.size() != 1 || lists_.begin()->first != step.thread) return false;
    know(step);
    return true;
  }
  /// Know that a thread did this step, in no particular order. @pre no step waits
  void know(const flow::Step& step) { lists_[step.thread].called = calls(step); }
  /// Run until no step waits.
  template <class Clock, class Go>
  void finish(const Clock& clock, const Go& go) {
    while (waiting_ != 0) next(clock, go);
  }

 private:
  static constexpr std::size_t MOST = 1U << 15U;    // steps: some of the chunks in which a trace comes
  static constexpr std::size_t OLDEST = 1U << 18U;  // steps that came behind one that waits, so that few batches live
  static constexpr std::size_t LOOK = 1U << 12U;
  struct Waiting {
    Turn turn;
    std::uint64_t number;
  };
  struct List {
    std::deque<Waiting> steps;
    Time clock = 0;       // of the thread, while it has steps: nobody else changes it
    bool called = false;  // its last step ended in a call to the system
  };
  static bool calls(const flow::Step& step) { return step.block->back().kind == flow::Class::system; }

  template <class Clock, class Go>
  void next(const Clock& clock, const Go& go) {
    auto& [thread, list] = *first();
    const auto turn = std::move(list.steps.front().turn);
    list.steps.pop_front();
    --waiting_;
    list.called = calls(turn.step());
    go(turn);
    list.clock = clock(thread);
  }
  [[nodiscard]] bool is_old() const {
    return std::ranges::any_of(lists_, [this](const auto& one) {
      const auto& steps = one.second.steps;
      return !steps.empty() && steps.front().number + OLDEST < taken_;
    });
  }
  /// Return the thread that is behind, among those with steps; the end: none has any.
  auto first() {
    auto found = lists_.end();
    for (auto one = lists_.begin(); one != lists_.end(); ++one)
      if (!one->second.steps.empty() && (found == lists_.end() || one->second.clock < found->second.clock)) found = one;
    return found;
  }
  template <class Clock>
  std::optional<Time> behind(const Clock& clock) {
    if (const auto found = first(); found != lists_.end()) return found->second.clock;
    std::optional<Time> latest;
    for (const auto& [thread, list] : lists_) latest = std::max(latest.value_or(0), clock(thread));
    return latest;
  }
  template <class Clock>
  Time others(std::uint32_t self, const Clock& clock) {
    if (const auto found = first(); found != lists_.end()) return found->second.clock;
    Time latest = 0;
    for (const auto& [thread, list] : lists_)
      if (thread != self) latest = std::max(latest, clock(thread));
    return latest;
  }
  std::map<std::uint32_t, List> lists_;
  std::size_t waiting_ = 0;
  std::uint64_t taken_ = 0;  // steps of several threads
};

}  // namespace tierscope::simulate
