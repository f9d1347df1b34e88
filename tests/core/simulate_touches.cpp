/// Lists of touches against the same accesses one by one: counters, requests to the memory, and the lines that are
/// left.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "base/random.hpp"
#include "cli/trace.hpp"
#include "simulate/machine.hpp"
#include "simulated_caches.hpp"

using namespace tierscope::tests;
using tierscope::random_word;

namespace {

/// A walk with jumps over this number of lines, so that some touches follow others to the same line.
std::vector<Touch> trace_of(std::uint64_t seed, std::size_t count, std::uint64_t lines) {
  std::vector<Touch> touches;
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = random_word(seed, i);
    if (draw % 3 == 0) line = (draw >> 8U) % lines;
    if (draw % 3 == 1) line = (line + 1) % lines;
    touches.push_back((draw >> 40U) % 4 == 0 ? store_of(line * LINE) : load_of(line * LINE));
  }
  return touches;
}

void one_by_one(Caches& caches, const std::vector<Touch>& touches, unsigned cpu = 0) {
  Time at = 0;
  for (const auto touch : touches)
    at = caches.access(cpu, touch & ADDRESS, (touch & STORE) != 0 ? Kind::store : Kind::load, at);
}

/// In lists of any length.
void in_lists(Caches& caches, std::span<const Touch> touches, unsigned cpu = 0) {
  for (std::uint64_t i = 0; !touches.empty(); ++i) {
    const auto length = std::min<std::size_t>(touches.size(), random_word(9, i) % 3000);
    caches.touch(cpu, touches.first(length));
    touches = touches.subspan(length);
  }
}

Counters counters_of(const Made& made) {
  Counters counters;
  made.caches->count(counters);
  return counters;
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> lines) {
  std::ranges::sort(lines);
  return lines;
}

void check_alike(const Made& one, const Made& other) {
  CHECK(counters_of(one) == counters_of(other));
  CHECK(sorted(one.memory.reads) == sorted(other.memory.reads));
  CHECK(sorted(one.memory.writes) == sorted(other.memory.writes));
}

/// Lists, single accesses, then lists again on one; single accesses alone on the other.
void compare(const std::string& text, std::uint64_t lines, unsigned cpus = 1) {
  CAPTURE(text);
  CAPTURE(lines);
  const Made lists(text, cpus), single(text, cpus);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto touches = trace_of(seed, TIERSCOPE_SANITIZED ? 1000 : 7000, lines);
    if (seed == 1) {
      one_by_one(*lists.caches, touches);
    } else {
      in_lists(*lists.caches, touches);
    }
    one_by_one(*single.caches, touches);
    check_alike(lists, single);
  }
}

}  // namespace

TEST_CASE("touches in lists count as single accesses do, for any policy and geometry" * doctest::test_suite("slow")) {
  for (const std::string policy : {"lru", "tree-plru", "nru", "random"})
    for (const int ways : {1, 4, 8, 16, 32})
      for (const int sets : {1, 3, 64}) {
        const auto kib = [&](int factor) { return std::to_string(64 * ways * sets * factor) + "B"; };
        compare(cache("L1", kib(1), ways, 1, "policy = \"" + policy + "\""), 600);
        compare(cache("L1", kib(1), ways, 1) + cache("L2", kib(4), ways, 5, "policy = \"" + policy + "\""), 900);
      }
  for (const int ways : {3, 5, 7, 9, 12, 15, 17, 20})
    compare(cache("L1", std::to_string(64 * ways * 8) + "B", ways, 1), 300);
}

TEST_CASE("lists of touches pass three levels as single accesses do") {
  const auto levels = cache("L1", "768B", 3, 1) + cache("L2", "4KiB", 8, 10) + cache("L3", "24KiB", 12, 40);
  for (const std::uint64_t lines : {8U, 150U, 400U, 1200U}) compare(levels, lines);
}

TEST_CASE("levels that include others or fetch ahead give the same counts from lists") {
  compare(cache("L1", "1KiB", 4, 1) + cache("L2", "4KiB", 8, 10, "inclusive = true"), 300);
  compare(cache("L1", "1KiB", 4, 1, "prefetch = \"next-line\"") + cache("L2", "4KiB", 8, 10), 300);
  compare(cache("L1", "1KiB", 4, 1) + cache("L2", "4KiB", 8, 10, "prefetch = \"stride\""), 300);
  compare(cache("L1", "1KiB", 4, 1) + cache("L2", "4KiB", 8, 10, "pair = true"), 300);
}

TEST_CASE("each touch goes to the memory if there are no caches") {
  const Made made("");
  made.caches->touch(0, std::vector{load_of(64), store_of(128)});
  CHECK(made.memory.reads == std::vector<std::uint64_t>{64});
  CHECK(made.memory.writes == std::vector<std::uint64_t>{128});
}

TEST_CASE("lines that one CPU fetched by lists are found and taken by the others") {
  const auto text = cache("L1", "1KiB", 4, 1) + cache("L2", "8KiB", 8, 10, "shared = 2");
  const Made lists(text, 4), single(text, 4);
  for (const unsigned cpu : {1U, 0U, 3U, 1U}) {
    const auto touches = trace_of(cpu, 5000, 200);
    in_lists(*lists.caches, touches, cpu);
    one_by_one(*single.caches, touches, cpu);
    check_alike(lists, single);
  }
  CHECK(lists.count("L1.invalidations") > 0);
  CHECK(lists.count("L1.transfers") > 0);
}

TEST_CASE("a store by list to a line that was read before writes it back later") {
  const Made made(cache("L1", "128B", 2, 1));
  made.caches->touch(0, std::vector{load_of(0), store_of(0), load_of(0), load_of(64), load_of(128)});
  CHECK(made.memory.writes == std::vector<std::uint64_t>{0});
  CHECK(made.count("L1.writebacks") == 1);
}

TEST_CASE("a machine counts walks, levels and memory alike with times and without") {
  for (const std::string word : {"optane100", "ddr5", "optane100,pages.bytes=4KiB,tlb.0.entries=8"}) {
    Machine lists(word), single(word);
    const auto touches = trace_of(4, 30'000, 100'000);
    for (std::span<const Touch> rest = touches; !rest.empty();
         rest = rest.subspan(std::min<std::size_t>(rest.size(), 777)))
      lists.touch(0, rest.first(std::min<std::size_t>(rest.size(), 777)));
    Time at = 0;
    for (const auto touch : touches)
      at = single.access(0, touch & ADDRESS, (touch & STORE) != 0 ? Kind::store : Kind::load, at);
    auto expected = single.counters();
    CAPTURE(word);
    for (const auto& counter : lists.counters()) {
      CAPTURE(counter.first);
      CHECK(counter.second == expected[counter.first]);
    }
    CHECK(lists.counters().contains("L1d.load_misses"));
  }
}

TEST_CASE("a machine that only counts does not report the insides of its memories") {
  Machine machine("optane100");
  machine.touch(0, std::vector{load_of(std::uint64_t{machine.region("pmem")} << MEMORY_BIT)});
  CHECK(machine.counters()["pmem.reads"] > 0);
  CHECK_FALSE(machine.counters().contains("pmem.media_reads"));
  machine.reset_counters();
  CHECK(machine.counters()["pmem.reads"] == 0);
}

TEST_CASE("trace --count reports the counters of trace, and no seconds") {
  const auto told = [](const std::vector<std::string>& words) {
    std::istringstream from("I  400000,4\n L 1ffe,8\n S 2000,4\n M 903f,2\n L 1000000,8\n");
    std::string lines;
    tierscope::trace(words, from, [&](const std::string& line) { lines += line; });
    return lines;
  };
  const auto counted = told({"--count", "sim:ddr5"}), timed = told({"sim:ddr5"});
  CHECK(counted.find("seconds") == std::string::npos);
  CHECK(timed.find("seconds_waiting") != std::string::npos);
  const auto value = [](const std::string& line, const std::string& name) {
    const auto at = line.find('"' + name + "\":");
    REQUIRE(at != std::string::npos);
    return line.substr(at, line.find_first_of(",}", at) - at);
  };
  for (const std::string name : {"loads", "stores", "instructions", "L1d.loads", "L1d.store_misses", "walks"})
    CHECK(value(counted, name) == value(timed, name));
  CHECK(value(counted, "L1d.loads") != value(counted, "loads"));  // two of them straddle lines
}
