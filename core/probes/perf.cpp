#include "probes/perf.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "base/syscall.hpp"

namespace tierscope {
namespace {

constexpr std::size_t HEAD = 3;  // of what a group's leader answers: number of events, time enabled, time running

/// Returns why the system refused; errno numbers as perf_event_open(2) explains them.
std::string reason_of(int number) {
  std::string said = std::strerror(number);
  switch (number) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "no PMU counts it here (" + said + ")";
    case EACCES:
    case EPERM:
      return "not allowed to this user (" + said + ")";
    case ENOSYS:
      return "perf_event_open is closed here (" + said + ")";
    default:
      return said;
  }
}

bool forbidden(int number) { return number == EACCES || number == EPERM; }

/// got: what read(2) answered; less than a group's counts where the kernel could not put the group on the PMU.
std::string not_read(long got) {
  return got < 0 ? "its count cannot be read (" + std::string(std::strerror(errno)) + ")"
                 : "its count cannot be read (" + std::to_string(got) + " bytes came)";
}

/// PMUs that belong to no core know no modes and refuse what excludes one.
std::string scope_of(const Event& event, bool kernel) {
  if (event.cpu >= 0) return "machine";
  return kernel ? "user+kernel" : "user";
}

std::string reason_of(const Event& event, int number) {
  const auto said = reason_of(number);
  return event.cpu >= 0 && forbidden(number) ? said + ": a machine's events need kernel.perf_event_paranoid=0" : said;
}

/// User mode and kernel, or user mode alone where that is all that this user may count (perf_event_paranoid 2).
struct Attempt {
  int file;
  bool kernel;
};

Attempt attempt(const PerfCalls& calls, const Event& event, int leader) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = leader < 0;
  attributes.exclude_hv = event.cpu < 0;
  int file = calls.open(attributes, leader, event.cpu);
  if (file < 0 && forbidden(errno) && !event.kernel_only && event.cpu < 0) {
    attributes.exclude_kernel = 1;
    file = calls.open(attributes, leader, event.cpu);
  }
  return {file, attributes.exclude_kernel == 0 || event.every_mode};
}

}  // namespace

const PerfCalls& PerfCalls::system() noexcept {
  static constexpr PerfCalls calls{
      .open = [](perf_event_attr& attributes, int leader,
                 int cpu) { return sys::perf_event_open(attributes, leader, cpu); },
      .control = [](int file, unsigned long request) { return ioctl(file, request, PERF_IOC_FLAG_GROUP); },
      .read = [](int file, void* into, std::size_t size) { return static_cast<long>(::read(file, into, size)); },
      .close = [](int file) { return ::close(file); }};
  return calls;
}

EventCounters::EventCounters(const std::vector<std::vector<Event>>& groups, const PerfCalls& calls) : calls_(calls) {
  for (const auto& group : groups) {
    bool joins = false;
    for (const auto& event : group) {
      facts_.push_back({.event = event.name, .scope = "", .reason = event.reason, .group = 0});
      if (!event.reason.empty()) continue;
      open(event, facts_.size() - 1, joins);
      joins = joins || facts_.back().reason.empty();
    }
  }
  empty_.resize(facts_.size());
  const auto began = raw_nanoseconds();
  for (unsigned block = 0; block < EMPTY_BLOCKS; ++block) {
    start();
    stop(0, 0);
  }
  blocks_ = 0;
  pair_ns_ = static_cast<double>(raw_nanoseconds() - began) / EMPTY_BLOCKS;
  empty_ = totals();
  for (std::size_t e = 0; e < facts_.size(); ++e) {
    if (empty_[e].reason.empty()) continue;
    facts_[e].reason = empty_[e].reason;
    facts_[e].scope = "";
  }
}

EventCounters::~EventCounters() {
  for (const auto& group : groups_)
    for (const auto& opened : group) calls_.close(opened.file);
}

/// In the last group if it joins one and the PMU has room for all of it, else as a group of its own.
void EventCounters::open(const Event& event, std::size_t number, bool joins) {
  auto opened = joins ? attempt(calls_, event, leaders_.back()) : Attempt{-1, false};
  const bool joined = opened.file >= 0;
  if (!joined) opened = attempt(calls_, event, -1);
  if (opened.file < 0) {
    facts_[number].reason = reason_of(event, errno);
    return;
  }
  facts_[number].scope = scope_of(event, opened.kernel);
  if (!joined) {
    groups_.emplace_back();
    leaders_.push_back(opened.file);
  }
  groups_.back().push_back({opened.file, number});
  facts_[number].group = groups_.size() - 1;
}

void EventCounters::start() noexcept {
  for (const int leader : leaders_) calls_.control(leader, PERF_EVENT_IOC_ENABLE);
}

/// The first to start is the last to stop, so that all groups contain the block.
void EventCounters::stop(std::uint64_t operations, std::uint64_t ticks) noexcept {
  for (auto leader = leaders_.size(); leader-- > 0;) calls_.control(leaders_[leader], PERF_EVENT_IOC_DISABLE);
  ++blocks_;
  operations_ += operations;
  ticks_ += ticks;
}

std::vector<EventCount> EventCounters::totals() const {
  std::vector<EventCount> counts(facts_.size());
  for (const auto& group : groups_) {
    std::vector<std::uint64_t> answer(HEAD + group.size());
    const auto size = static_cast<long>(answer.size() * sizeof(std::uint64_t));
    const auto got = calls_.read(group.front().file, answer.data(), static_cast<std::size_t>(size));
    for (std::size_t e = 0; e < group.size(); ++e) {
      auto& count = counts[group[e].event];
      if (got == size)
        count = {.value = answer[HEAD + e], .enabled_ns = answer[1], .running_ns = answer[2]};
      else
        count.reason = not_read(got);
    }
  }
  return counts;
}

std::vector<EventCount> EventCounters::read() const {
  auto counts = totals();
  for (std::size_t e = 0; e < counts.size(); ++e) {
    if (!counts[e].reason.empty()) continue;
    counts[e].value -= empty_[e].value;
    counts[e].enabled_ns -= empty_[e].enabled_ns;
    counts[e].running_ns -= empty_[e].running_ns;
  }
  return counts;
}

std::string why_not_counted(const Event& event, const PerfCalls& calls) {
  if (!event.reason.empty()) return event.reason;
  const auto [file, kernel] = attempt(calls, event, -1);
  if (file < 0) return reason_of(event, errno);
  calls.close(file);
  return "";
}

}  // namespace tierscope
