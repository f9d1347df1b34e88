/// Names of performance events, as perf writes them: what the kernel is asked to count.
/// - `cycles`, `instructions`, `branches`, `page-faults`: generic and software events.
/// - `LLC-loads`, `L1-dcache-load-misses`, `dTLB-loads`: a cache, an operation, and whether it missed.
/// - `cpu/event=0xa3,umask=0x14,cmask=20/`: an encoding, by the fields that the PMU's folder names.
/// - `uncore_imc_0/event=0x04,umask=0x03/@28`: the same of a PMU that belongs to no core, on one of its CPUs.
///
/// Source: Linux, perf_event_open(2); Documentation/ABI/testing/sysfs-bus-event_source-devices-format; names:
/// tools/perf/Documentation/perf-list.txt.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope {

/// Numbers of perf_event_attr.
struct Event {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0;
  int cpu = -1;              // of a PMU that counts for the whole machine: where it is asked; -1: of a thread
  bool kernel_only = false;  // it happens in the kernel: counted in user mode alone it is always 0
  bool every_mode = false;   // a clock: it goes in the kernel too, whatever is excluded
  std::string reason;        // why this machine has no such event; the numbers then have no meaning
};

/// Words between commas, those in braces to be counted together: `{cycles,instructions},page-faults`; commas between
/// two slashes belong to a word. @throws BadPlan for braces that do not fit, or no word
std::vector<std::vector<std::string>> event_groups(std::string_view words);

/// Returns all names that are not encodings.
std::vector<std::string> event_names();

/// root: of sysfs, for the fields of a PMU. An event of a PMU that is not there has a reason. @throws BadPlan for a
/// name that is none, or a field without a number
Event make_event(const std::string& word, const std::string& root = "/");

}  // namespace tierscope
