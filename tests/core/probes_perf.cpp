/// Performance events: names, encodings, groups; and the reaction to refusals, on a simulated system.
#include "probes/perf.hpp"

#include <doctest/doctest.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include <cerrno>
#include <deque>
#include <set>
#include <utility>

#include "bench/bench.hpp"
#include "folder.hpp"
#include "probes/event.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

/// Counts ten of everything in each pair of start and stop, for half of the time.
struct Played {
  struct File {
    perf_event_attr attributes;
    int leader;
    int cpu;
    std::uint64_t pairs = 0;
    bool running = false;
  };
  std::deque<File> files;
  std::set<int> closed;
  bool kernel = true;        // whether it may be counted
  std::size_t counters = 9;  // of a group
  bool readable = true;      // else an answer is too short
  std::vector<std::pair<int, unsigned long>> controls;
};
Played played;  // functions without captures need one place

const PerfCalls CALLS{.open =
                          [](perf_event_attr& attributes, int leader, int cpu) {
                            errno = 0;
                            if (!played.kernel && attributes.exclude_kernel == 0) errno = EACCES;
                            if (attributes.type == PERF_TYPE_HARDWARE && attributes.config == PERF_COUNT_HW_BUS_CYCLES)
                              errno = ENOENT;
                            std::size_t members = 1;
                            for (const auto& file : played.files)
                              members += leader >= 0 && file.leader == leader ? 1 : 0;
                            if (leader >= 0 && members >= played.counters) errno = EINVAL;
                            if (errno != 0) return -1;
                            played.files.push_back({attributes, leader, cpu});
                            return static_cast<int>(played.files.size()) - 1;
                          },
                      .control =
                          [](int file, unsigned long request) {
                            auto& its = played.files[static_cast<std::size_t>(file)];
                            const bool starts = request == PERF_EVENT_IOC_ENABLE;
                            CHECK(its.running != starts);
                            its.running = starts;
                            its.pairs += starts ? 1 : 0;
                            played.controls.emplace_back(file, request);
                            return 0;
                          },
                      .read =
                          [](int file, void* into, std::size_t size) {
                            if (!played.readable) return 0L;
                            auto* answer = static_cast<std::uint64_t*>(into);
                            const auto pairs = played.files[static_cast<std::size_t>(file)].pairs;
                            const auto events = size / sizeof(std::uint64_t) - 3;
                            answer[0] = events;
                            answer[1] = 100 * pairs;
                            answer[2] = 50 * pairs;
                            for (std::size_t e = 0; e < events; ++e) answer[3 + e] = 10 * pairs + e;
                            return static_cast<long>(size);
                          },
                      .close =
                          [](int file) {
                            played.closed.insert(file);
                            return 0;
                          }};

std::vector<std::vector<Event>> events(const std::string& words) {
  std::vector<std::vector<Event>> made;
  for (const auto& group : event_groups(words)) {
    made.emplace_back();
    for (const auto& word : group) made.back().push_back(make_event(word, "/nowhere"));
  }
  return made;
}

}  // namespace

TEST_CASE("events are listed in groups, and an encoding keeps its commas") {
  using Groups = std::vector<std::vector<std::string>>;
  CHECK(event_groups("cycles") == Groups{{"cycles"}});
  CHECK(event_groups("{cycles,instructions},page-faults") == Groups{{"cycles", "instructions"}, {"page-faults"}});
  CHECK(event_groups("a,{cpu/event=1,umask=2/,b}") == Groups{{"a"}, {"cpu/event=1,umask=2/", "b"}});
  for (const auto* wrong : {"", ",", "a,", "{a", "a}", "{a}b", "{}", "{a,{b}}", "a{b}"})
    CHECK(holds(error_of([&] { event_groups(wrong); }), "BadPlan"));
}

TEST_CASE("events have the numbers of the kernel's header") {
  CHECK(make_event("instructions").config == PERF_COUNT_HW_INSTRUCTIONS);
  CHECK(make_event("page-faults").type == PERF_TYPE_SOFTWARE);
  const auto misses = make_event("LLC-store-misses");
  CHECK(misses.type == PERF_TYPE_HW_CACHE);
  CHECK(misses.config == 0x10102);  // cache 2, operation 1, result 1
  CHECK(make_event("dTLB-load-misses").config == 0x10003);
  for (const auto* wrong : {"cycle", "LLC-", "LLC-misses", "cpu/", "/event=1/", "../x/event=1/", "cpu/../type=1/"})
    CHECK(holds(error_of([&] { make_event(wrong); }), "unknown event"));
}

TEST_CASE("an encoding is composed of the fields of its PMU") {
  const Folder root;
  root.write("sys/bus/event_source/devices/cpu/type", "4\n");
  root.write("sys/bus/event_source/devices/cpu/format/event", "config:0-7,32-35\n");
  root.write("sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n");
  root.write("sys/bus/event_source/devices/cpu/format/edge", "config:18\n");
  root.write("sys/bus/event_source/devices/cpu/format/offcore_rsp", "config1:0-63\n");
  const auto made = make_event("cpu/event=0x1d1,umask=0x20,edge,offcore_rsp=0x10001/", root.path().string());
  CHECK(made.reason == "");
  CHECK(made.type == 4);
  CHECK(made.config == 0x1000420d1);
  CHECK(made.config1 == 0x10001);
  CHECK(
      holds(make_event("cpu/umask=0x100/", root.path().string()).reason, "no field umask that is wide enough for 256"));
  CHECK(holds(make_event("cpu/ldlat=3/", root.path().string()).reason, "no field ldlat"));
  CHECK(holds(make_event("cpu_core/event=1/", root.path().string()).reason, "no PMU cpu_core"));
  CHECK(holds(error_of([&] { make_event("cpu/event=0xzz/", root.path().string()); }), "a number is needed"));
}

TEST_CASE("cpu is the PMU of the cores under any name on ARM, and of neither kind if there are two") {
  const Folder root;
  const std::string devices = "sys/bus/event_source/devices/";
  root.write(devices + "armv8_pmuv3_0/type", "8\n");
  root.write(devices + "armv8_pmuv3_0/format/event", "config:0-15\n");
  root.write(devices + "arm_cmn_0/type", "9\n");
  const auto made = make_event("cpu/event=0x4005/", root.path().string());
  CHECK(made.reason.empty());
  CHECK(made.type == 8);
  CHECK(made.config == 0x4005);
  CHECK(make_event("arm_cmn_0/event=1/", root.path().string()).reason ==
        "PMU arm_cmn_0 has no field event that is wide enough for 1");
  root.write(devices + "armv8_cortex_a55/type", "10\n");
  CHECK(make_event("cpu/event=0x17/", root.path().string()).reason == "this machine has no PMU cpu");
}

TEST_CASE("a PMU with a list of CPUs counts for the machine, on the CPU asked for or on its first") {
  const Folder root;
  const std::string controller = "sys/bus/event_source/devices/uncore_imc_0/", word = "uncore_imc_0/event=4,umask=3/";
  root.write(controller + "type", "14\n");
  root.write(controller + "format/event", "config:0-7\n");
  root.write(controller + "format/umask", "config:8-15\n");
  const auto made = [&](const std::string& place) { return make_event(word + place, root.path().string()); };
  CHECK(made("").cpu == -1);
  CHECK(holds(made("@28").reason, "on no CPU for all of them"));
  root.write(controller + "cpumask", "7,28\n");
  CHECK(made("").cpu == 7);
  CHECK(made("@28").cpu == 28);
  CHECK(made("@28").config == 0x304);
  CHECK(made("@28").name == word + "@28");
  for (const auto* wrong : {"28", "@", "@x", "@28/"}) CHECK(holds(error_of([&] { made(wrong); }), "BadPlan"));
}

TEST_CASE("an event of the machine is opened on its CPU, excludes nothing, and names the setting that it needs") {
  Event event;
  event.name = "uncore_imc_0/event=4/@28";
  event.type = 14;
  event.cpu = 28;
  played = {};
  {
    const EventCounters counters({{event}}, CALLS);
    CHECK(counters.facts()[0].scope == "machine");
    CHECK(played.files[0].cpu == 28);
    CHECK(+played.files[0].attributes.exclude_kernel == 0);
    CHECK(+played.files[0].attributes.exclude_hv == 0);
  }
  played = Played{};
  played.kernel = false;
  const EventCounters refused({{event}}, CALLS);
  CHECK(holds(refused.facts()[0].reason, "kernel.perf_event_paranoid=0"));
  CHECK(played.files.empty());
}

TEST_CASE("a group is started and stopped by its leader, the first started is the last stopped") {
  played = {};
  EventCounters counters(events("{cycles,instructions},page-faults"), CALLS);
  REQUIRE(played.files.size() == 3);
  CHECK(played.files[1].leader == 0);
  CHECK((played.files[0].attributes.disabled == 1));
  CHECK((played.files[1].attributes.disabled == 0));
  CHECK(counters.facts()[1].group == counters.facts()[0].group);
  CHECK(counters.facts()[2].group != counters.facts()[0].group);
  played.controls.clear();
  counters.start();
  counters.stop(7, 70);
  using Controls = decltype(played.controls);
  CHECK(played.controls == Controls{{0, PERF_EVENT_IOC_ENABLE},
                                    {2, PERF_EVENT_IOC_ENABLE},
                                    {2, PERF_EVENT_IOC_DISABLE},
                                    {0, PERF_EVENT_IOC_DISABLE}});
}

TEST_CASE("counts of empty blocks are subtracted from those of blocks, and shared time on the PMU is reported") {
  played = {};
  EventCounters counters(events("{cycles,instructions}"), CALLS);
  CHECK(counters.empty()[0].value == 10 * EventCounters::EMPTY_BLOCKS);
  CHECK(counters.blocks() == 0);
  for (int block = 0; block < 3; ++block) {
    counters.start();
    counters.stop(7, 70);
  }
  const auto counts = counters.read();
  CHECK(counts[0].value == 30);
  CHECK(counts[1].value == 30);  // that it stood at 1 before is not of these blocks
  CHECK(counts[0].enabled_ns == 300);
  CHECK(counts[0].running_ns == 150);
  CHECK(counters.blocks() == 3);
  CHECK(counters.operations() == 21);
  CHECK(counters.ticks() == 210);
}

TEST_CASE("user mode is counted if the kernel may not be, and events of the kernel alone are left out") {
  played = {};
  played.kernel = false;
  const EventCounters counters(events("{cycles,instructions},context-switches,page-faults"), CALLS);
  CHECK(counters.facts()[0].scope == "user");
  CHECK((played.files[0].attributes.exclude_kernel == 1));
  CHECK(holds(counters.facts()[2].reason, "not allowed to this user"));
  CHECK(counters.facts()[2].scope == "");
  CHECK(counters.facts()[3].scope == "user");
}

TEST_CASE("a clock counts the kernel's time even if no other event may") {
  played = {};
  played.kernel = false;
  const EventCounters counters(events("{cycles,task-clock},cpu-clock"), CALLS);
  CHECK(counters.facts()[0].scope == "user");
  CHECK(counters.facts()[1].scope == "user+kernel");
  CHECK(counters.facts()[2].scope == "user+kernel");
}

TEST_CASE("counts that cannot be read are marked, and are not numbers") {
  played = {};
  EventCounters counters(events("{cycles,instructions}"), CALLS);
  counters.start();
  counters.stop(7, 70);
  played.readable = false;
  for (const auto& count : counters.read()) {
    CHECK(count.value == 0);
    CHECK(count.enabled_ns == 0);
    CHECK(holds(count.reason, "cannot be read (0 bytes came)"));
  }
  const EventCounters never(events("cycles"), CALLS);
  CHECK(holds(never.facts()[0].reason, "cannot be read"));
  CHECK(never.facts()[0].scope == "");
}

TEST_CASE("an event that a machine does not count has a reason, and the rest of its group continues without it") {
  played = {};
  const EventCounters counters(events("{bus-cycles,cycles,instructions},cpu/event=1/"), CALLS);
  CHECK(holds(counters.facts()[0].reason, "no PMU counts it here"));
  CHECK(counters.facts()[1].reason == "");
  CHECK(counters.facts()[2].group == counters.facts()[1].group);
  CHECK(counters.facts()[3].reason == "this machine has no PMU cpu");
  CHECK(counters.read()[0].value == 0);
}

TEST_CASE("every event with a name can be made, and states whether it is counted") {
  played = {};
  for (const auto& name : event_names()) CHECK(make_event(name).name == name);
  CHECK(why_not_counted(make_event("cycles"), CALLS) == "");
  CHECK(holds(why_not_counted(make_event("bus-cycles"), CALLS), "no PMU counts it here"));
  CHECK(holds(why_not_counted(make_event("cpu/event=1/", "/nowhere"), CALLS), "no PMU cpu"));
  CHECK(played.closed.size() == played.files.size());
}

TEST_CASE("an event that does not fit in its group becomes a group of its own, and files are closed") {
  played = {};
  played.counters = 2;  // the leader and one more
  {
    const EventCounters counters(events("{cycles,instructions,branches}"), CALLS);
    CHECK(counters.facts()[1].group == counters.facts()[0].group);
    CHECK(counters.facts()[2].group != counters.facts()[0].group);
    CHECK(counters.facts()[2].reason == "");
  }
  CHECK(played.closed.size() == played.files.size());
}

TEST_CASE("the second event that does not fit joins the first, not a group of its own") {
  played = {};
  played.counters = 2;
  const EventCounters counters(events("{cycles,instructions,branches,branch-misses}"), CALLS);
  CHECK(counters.facts()[2].group != counters.facts()[1].group);
  CHECK(counters.facts()[3].group == counters.facts()[2].group);
}

TEST_CASE("a bench raises its limit of files before it opens an event on each thread") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few{.rlim_cur = 64, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  Bench bench;
  GroupPlan plan;
  read_words({{"kernel", "noop"}, {"target", "null"}, {"cpus", "0"}}, plan);
  bench.prepare({plan});
  bench.count({{"task-clock"}});
  rlimit after{};
  CHECK(getrlimit(RLIMIT_NOFILE, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("a bench counts in the timed blocks alone, of each group, until the next prepare") {
  Bench bench;
  GroupPlan plan;
  read_words({{"kernel", "noop"}, {"target", "null"}, {"cpus", "0"}}, plan);
  bench.prepare({plan});
  CHECK(holds(error_of([&] { bench.count({{"cycle"}}); }), "unknown event 'cycle'"));
  const auto counting = bench.count({{"task-clock", "page-faults"}});
  REQUIRE(counting.events.size() == 2);
  const auto rows = bench.measure(0.02, 1e-3, {}, nullptr);
  const auto counted = bench.counted();
  REQUIRE(counted.size() == 1);
  CHECK(counted[0].blocks > 0);
  CHECK(counted[0].blocks < rows);  // sizing is not counted
  CHECK(counted[0].operations > 0);
  if (counting.events[0].reason.empty()) {
    CHECK(counted[0].events[0].value > 0);
    CHECK(counted[0].events[0].enabled_ns == counted[0].events[0].running_ns);
  }
  bench.prepare({plan});
  bench.measure(0.01, 1e-3, {}, nullptr);
  CHECK(bench.counted()[0].blocks == 0);
  read_words({{"kernel", "command"}, {"command", "echo%201"}}, plan);
  bench.prepare({plan});
  CHECK(holds(error_of([&] { bench.count({{"cycles"}}); }), "processes of its own"));
}
