/// Loops of much code: what they leave, and that a simulated core takes the time for them that its parameters imply.
#include <doctest/doctest.h>

#include <algorithm>

#include "bench/tasks/code.hpp"
#include "loops/code.hpp"
#include "says.hpp"
#include "simulated_plan.hpp"

using namespace tierscope;
using loops::Frame;
using loops::Walk;
using tests::holds;

namespace {

/// Cycles of a line of code on a simulated core with a cache of instructions of 32 KiB, and a second one of 20 cycles.
/// fetch: lines of [core.fetch].
double cycles_of_line(const std::string& fetch, const std::string& words) {
  const tests::Folder folder;
  folder.write("made.toml",
               "name = \"made\"\nsummary = \"\"\nsource = \"\"\n[cpu]\ncount = 1\ncycle = \"1ns\"\n"
               "[core]\nwidth = 4\n[core.fetch]\nsize = \"32KiB\"\n" +
                   fetch +
                   "[[cache]]\nname = \"L1d\"\nsize = \"32KiB\"\nways = 8\npolicy = \"lru\"\nlatency = \"1ns\"\n"
                   "[[cache]]\nname = \"L2\"\nsize = \"2MiB\"\nways = 8\npolicy = \"lru\"\nlatency = \"20ns\"\n"
                   "[memory.m]\nkind = \"flat\"\nsize = \"64GiB\"\nread = \"100ns\"\nwrite = \"100ns\"\n");
  const auto plan = tests::plan_of("kernel=code target=sim:" + folder.at("made.toml") + " cpus=0 " + words);
  Simulation simulation;
  simulation.prepare({plan});
  const auto lines = plan.of<CodeLoops>().footprint / loops::CODE_LINE;
  return 1e9 / tests::rate(tests::measured(simulation, 1e-4, 1e-5), 1) / static_cast<double>(lines);
}

std::string refusal(const std::string& words) {
  return tests::error_of([&] {
    Simulation simulation;
    simulation.prepare({tests::plan_of("kernel=code target=sim:flat cpus=0 " + words)});
  });
}

}  // namespace

TEST_CASE("runs use each line once, and those of a group follow one another") {
  for (const Walk walk : {Walk{16 * 4096, 1, 2, 1}, Walk{16 * 4096, 4, 1, 2}, Walk{64 * 4096, 64, 1, 3}}) {
    const auto runs = loops::runs_of(walk);
    CHECK(runs.size() == walk.runs());
    std::vector<unsigned> uses(walk.bytes / loops::CODE_LINE);
    unsigned changes = 0;
    for (std::size_t n = 0; n < runs.size(); ++n) {
      const auto last = (runs[n].begin + runs[n].bytes - 1) / loops::CODE_LINE;
      for (auto line = runs[n].begin / loops::CODE_LINE; line <= last; ++line) ++uses[line];
      const auto near = [&](std::size_t other) {
        return std::max(runs[n].begin, runs[other].begin) - std::min(runs[n].begin, runs[other].begin);
      };
      if (n > 0) changes += near(n - 1) > 2 * walk.group() ? 1 : 0;
      CHECK(runs[n].fillers() * loops::FILLED + loops::ENDING <= runs[n].bytes);
    }
    CHECK(std::ranges::all_of(uses, [&](unsigned n) { return n == walk.jumps; }));
    CHECK(changes < walk.bytes / walk.group());
  }
}

TEST_CASE("the jumps of long runs fill all sets of a buffer that takes the address") {
  constexpr std::size_t SETS = 64;
  std::vector<unsigned> uses(SETS);
  for (const auto& run : loops::runs_of({256 * 4096, 16, 1, 1})) ++uses[(run.begin + run.bytes) / 32 % SETS];
  CHECK(*std::ranges::min_element(uses) > 5);  // sixteen each
  CHECK(*std::ranges::max_element(uses) < 32);
}

TEST_CASE("generated code of any shape runs all of its runs" * doctest::skip(std::string(loops::lacking()) != "")) {
  for (const Walk walk : {Walk{4096, 1, 1, 1}, Walk{8 * 4096, 1, 2, 1}, Walk{8 * 4096, 4, 1, 2},
                          Walk{16 * 4096, 64, 1, 3}, Walk{300 * 4096, 16, 1, 4}}) {
    const loops::Code code(walk);
    Frame frame;
    frame.cursors[0] = 7;
    code.function()(&frame, 5);
    CHECK(frame.cursors[0] == loops::behind(loops::Filler::sum, 7, 5 * walk.runs()));
  }
}

TEST_CASE("lines of code behind the cache of instructions come as the simulated core fetches them") {
  const std::string far = "footprint=96KiB straight=4";
  const double near = cycles_of_line("ahead = 8\n", "footprint=16KiB straight=4");
  CHECK(near == doctest::Approx(2).epsilon(0.1));  // eight instructions, four in a cycle
  const double demand = cycles_of_line("ahead = 0\n", far);
  CHECK(demand > 15);
  CHECK(cycles_of_line("ahead = 4\n", far) == doctest::Approx(demand / 4).epsilon(0.2));
  CHECK(cycles_of_line("ahead = 64\n", far) == doctest::Approx(near).epsilon(0.1));
  CHECK(cycles_of_line("ahead = 64\nbetween = 7\n", far) == doctest::Approx(7).epsilon(0.05));
}

TEST_CASE("a core that knows fewer targets than there are jumps waits for each of them") {
  const std::string fetch = "ahead = 64\ntargets = 1024\nredirect = 9\n";
  const double few = cycles_of_line(fetch, "footprint=16KiB jumps=2");  // 512 jumps
  CHECK(few == doctest::Approx(2).epsilon(0.1));
  const double many = cycles_of_line(fetch, "footprint=64KiB jumps=2");  // 2048
  CHECK(many > few + 2 * 9);
}

TEST_CASE("code that no run divides is refused, and so is more than a jump reaches") {
  CHECK(refusal("footprint=16KiB straight=4").empty());
  CHECK(holds(refusal("footprint=5000"), "is not a multiple of 4096 bytes"));
  CHECK(holds(refusal("footprint=16KiB straight=3"), "does not divide the 64 lines of a page"));
  CHECK(holds(refusal("footprint=16KiB straight=128"), "does not divide"));
  CHECK(holds(refusal("footprint=16KiB straight=2 jumps=2"), "a run needs half a line"));
  CHECK(holds(refusal("footprint=16KiB jumps=3"), "jumps=3"));
  CHECK(holds(refusal("footprint=16KiB jumps=0"), "jumps=0"));
  CHECK(holds(refusal("footprint=16KiB straight=0"), "straight=0"));
  CHECK(holds(refusal("footprint=4KiB straight=16"), "is not a multiple of 16384 bytes"));
  CHECK(holds(refusal("footprint=128MiB"), "above 64 MiB"));
}
