/// A victim: a computation that suffers from its neighbours. One task is one timed block.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"

namespace tierscope {

/// The words of a plan that a victim may take; each takes its own and leaves the others alone.
struct VictimOptions {
  std::string size = {};            // flow: test, train or ref
  std::string command = {};         // command: a line for /bin/sh
  double limit_s = 0;               // command: how long one task may take; 0: 600 s
  std::uint64_t seed = 1995;        // of generated instances
  std::vector<unsigned> cpus = {};  // where the processes that a task starts may run; empty: where this thread may
  int node = -1;                    // command: whose memory its processes get; -1: any
};

class Victim {
 public:
  virtual ~Victim() = default;
  Victim() = default;
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  /// Does what must be done before each task and is not part of its time.
  virtual void ready() noexcept {}
  /// One task, from its start to its end, on the calling (pinned) thread.
  virtual void run() noexcept = 0;
  /// Return the number of operations that a task counts as in the samples.
  [[nodiscard]] virtual std::uint64_t operations() const noexcept { return 1; }
  /// Asked after each task, with what the batch wants: whether another one follows.
  [[nodiscard]] virtual bool goes_on(bool wanted) noexcept { return wanted; }
  /// "" or why a task failed since the last one was asked about, with what to try. Asked after a batch.
  [[nodiscard]] virtual std::string failure() const = 0;
  /// 0, or infinity when an answer was wrong: the largest relative error, as in bench/verify.hpp.
  [[nodiscard]] virtual double check() const = 0;
  /// Returns the bytes that it uses while a task runs.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
  /// Return what it computed, in a few words: "3000 nodes, 120000 arcs, optimum 71823".
  [[nodiscard]] virtual std::string detail() const = 0;
};

struct VictimEntry {
  std::string_view name, summary, source;
  std::string_view lacking;  // "" or why this build cannot
  /// Allocates and touches its memory on the calling thread, which should be the one that will run it.
  /// @throws BadPlan for an unknown size or a missing command, Unsupported for what this machine or build lacks.
  std::unique_ptr<Victim> (*make)(const VictimOptions& options);
  bool starts_processes = false;  // a task is the work of other processes, for which the thread waits
};

}  // namespace tierscope
