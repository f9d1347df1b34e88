/// Counters of one thread, by perf_event_open: they run only between `start` and `stop`. Events that belong together
/// are one group of the kernel: they count over the same time, or not at all. If the PMU has too few counters for a
/// group, the rest of it becomes one or more further groups, and the kernel alternates between them (multiplexing).
/// Each event reports for how long it should have counted, and for how long it did. Groups are nested, the first
/// outermost: its counts contain the calls that start and stop all others. Counts that are compared with each other
/// belong into one group, those compared with the clock into the last. Events of the whole machine (Event::cpu) count
/// all that happens between `start` and `stop`, whoever causes it. Blind to threads and processes that the thread
/// itself starts, and to what other threads do for it. Source: Linux, perf_event_open(2).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/event.hpp"

struct perf_event_attr;

namespace tierscope {

/// The system calls; tests put others in their place.
struct PerfCalls {
  int (*open)(perf_event_attr& attributes, int leader, int cpu);
  int (*control)(int file, unsigned long request);  // of a whole group
  long (*read)(int file, void* into, std::size_t size);
  int (*close)(int file);
  static const PerfCalls& system() noexcept;
};

/// The state of an event: counted or not.
struct EventFacts {
  std::string event;
  std::string scope;      // "user", "user+kernel", "machine"; empty where it is not counted
  std::string reason;     // why it is not; empty where it is
  std::size_t group = 0;  // of events with the same number all are counted at the same time
};

/// Since the counters were opened; times in ns, of the thread between `start` and `stop`.
struct EventCount {
  std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
  std::string reason = {};  // why it could not be read: the numbers then have no meaning
};

class EventCounters {
 public:
  static constexpr unsigned EMPTY_BLOCKS = 64;  // whose mean is the cost of one pair of calls

  /// Opens what the machine has, for the calling thread; what it has not has a reason. Starts and stops
  /// EMPTY_BLOCKS times around nothing.
  explicit EventCounters(const std::vector<std::vector<Event>>& groups, const PerfCalls& calls = PerfCalls::system());
  EventCounters(const EventCounters&) = delete;
  EventCounters& operator=(const EventCounters&) = delete;
  ~EventCounters();

  void start() noexcept;
  /// Ends a block of this number of operations, which took this number of ticks of the clock.
  void stop(std::uint64_t operations, std::uint64_t ticks) noexcept;
  /// In the order of the events asked for; zeros for those that are not counted or could not be read.
  [[nodiscard]] std::vector<EventCount> read() const;
  [[nodiscard]] const std::vector<EventFacts>& facts() const noexcept { return facts_; }
  /// The counts of all empty blocks, added up.
  [[nodiscard]] const std::vector<EventCount>& empty() const noexcept { return empty_; }
  /// Nanoseconds of one start and stop, the mean of the empty blocks.
  [[nodiscard]] double pair_ns() const noexcept { return pair_ns_; }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
  [[nodiscard]] std::uint64_t ticks() const noexcept { return ticks_; }

 private:
  struct Opened {
    int file;
    std::size_t event;
  };
  void open(const Event& event, std::size_t number, bool joins);
  [[nodiscard]] std::vector<EventCount> totals() const;

  const PerfCalls& calls_;
  std::vector<std::vector<Opened>> groups_;  // the leader first
  std::vector<int> leaders_;
  std::vector<EventFacts> facts_;
  std::vector<EventCount> empty_;
  double pair_ns_ = 0;
  std::uint64_t blocks_ = 0, operations_ = 0, ticks_ = 0;  // since the empty blocks
};

/// Why the calling thread cannot count it; empty if it can. Opens and closes it.
std::string why_not_counted(const Event& event, const PerfCalls& calls = PerfCalls::system());

}  // namespace tierscope
