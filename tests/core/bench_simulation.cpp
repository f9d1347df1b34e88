/// Groups on simulated machines whose answers are known beforehand: latency over accesses in flight.
#include "bench/simulation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "folder.hpp"
#include "says.hpp"
#include "simulated_plan.hpp"

using namespace std::string_literals;
using namespace tierscope;
using tests::error_of;
using tests::holds;
using tests::measured;
using tests::plan_of;
using tests::rate;
using tests::seconds_of;

namespace {

std::string refusal(const std::vector<std::string>& words) {
  std::vector<GroupPlan> plans;
  for (const auto& each : words) plans.push_back(plan_of(each));
  return error_of([&] {
    Simulation simulation;
    simulation.prepare(plans);
  });
}

}  // namespace

TEST_CASE("a chase on a memory of one latency takes that latency") {
  Simulation simulation;
  simulation.prepare({plan_of("kernel=chase target=sim:flat,memory.flat.read=250ns cpus=0 footprint=1MiB")});
  for (const auto& block : measured(simulation)) {
    CHECK(seconds_of(block) / static_cast<double>(block.operations) == doctest::Approx(250e-9).epsilon(1e-3));
    CHECK(block.flags == 0);
    CHECK(seconds_of(block) == doctest::Approx(50e-6).epsilon(0.5));
  }
  CHECK(simulation.check()[0] == 0);
  CHECK(simulation.counters().at("flat.reads") > 7000);
}

TEST_CASE("independent loads go as fast as the lines in flight over the latency, until the memory's slots are full") {
  for (const auto& point : std::map<unsigned, double>{{1, 16}, {2, 32}, {4, 32}}) {
    const unsigned threads = point.first;
    const double in_flight = point.second;
    CAPTURE(threads);
    Simulation simulation;
    simulation.prepare(
        {plan_of("kernel=read target=sim:flat cpus=0-" + std::to_string(threads - 1) + " footprint=64MiB")});
    CHECK(rate(measured(simulation), threads) == doctest::Approx(in_flight / 100e-9).epsilon(0.02));
  }
}

TEST_CASE("prefetches occupy line fill buffers as loads do") {
  const auto with = [](const std::string& words) {
    Simulation simulation;
    simulation.prepare({plan_of("kernel=read target=sim:ddr5,cpu.loads=2 cpus=0 footprint=256MiB " + words)});
    return rate(measured(simulation), 1);
  };
  CHECK(with("prefetch=4KiB") < 1.1 * with(""));
}

TEST_CASE("a memory has one bandwidth for all threads together") {
  Simulation simulation;
  simulation.prepare({plan_of("kernel=read target=sim:flat,memory.flat.bandwidth=2GB/s cpus=0-3 footprint=64MiB")});
  CHECK(rate(measured(simulation), 4) * 64 == doctest::Approx(2e9).epsilon(0.02));
}

TEST_CASE("blocks have the requested operations") {
  Simulation simulation;
  simulation.prepare({plan_of("kernel=chase target=sim:flat cpus=0 footprint=1MiB per_block=100")});
  for (const auto& block : measured(simulation)) CHECK(block.operations == 100);
}

TEST_CASE("a delay adds its length to a load") {
  // bursts of 16 lines and 10000 cycles of 0.4 ns
  Simulation simulation;
  simulation.prepare({plan_of("kernel=read target=sim:flat cpus=0 footprint=64MiB pace=10000 burst=1KiB")});
  CHECK(rate(measured(simulation), 1) == doctest::Approx(16 / 4.0e-6).epsilon(0.05));
}

TEST_CASE("groups run together or alternate, each on its CPUs") {
  Simulation simulation;
  simulation.prepare({plan_of("kernel=chase target=sim:flat cpus=0 footprint=1MiB"),
                      plan_of("kernel=read target=sim:flat cpus=1-2 footprint=64MiB")});
  std::map<unsigned, std::size_t> together;
  for (const auto& block : measured(simulation)) ++together[block.cpu];
  CHECK(together.size() == 3);
  for (const auto& block : measured(simulation, 1e-3, 50e-6, {1})) {
    CHECK(block.group == 1);
    CHECK(block.batch == 1);
  }
}

TEST_CASE("the same plan leaves the same blocks, and so does noise of the same seed") {
  for (const std::string noise : {"", ",noise.scale=3,noise.jitter=0.02"}) {
    CAPTURE(noise);
    const auto once = [&] {
      Simulation simulation;
      simulation.prepare({plan_of("kernel=triad target=sim:flat" + noise + " cpus=0-2 footprint=16MiB")});
      return measured(simulation);
    };
    const auto first = once(), second = once();
    REQUIRE(first.size() == second.size());
    CHECK(std::memcmp(first.data(), second.data(), first.size() * sizeof(Block)) == 0);
  }
}

TEST_CASE("experiments that differ in any key have different noise") {
  // jitter alone, and words that change nothing of what the memory does: the ratio to the truth is the noise
  const auto ratio = [](const std::string& words) {
    const auto length = [&](const std::string& scale) {
      Simulation simulation;
      simulation.prepare(
          {plan_of("cpus=0 per_block=100 target=sim:flat,noise.jitter=0.1,noise.interrupts=0,"
                   "noise.steals=0,noise.scale=" +
                   scale + " " + words)});
      return seconds_of(measured(simulation).front());
    };
    return length("1") / length("0");
  };
  const std::string chase = "kernel=chase footprint=16MiB", flush = "kernel=flush_clwb footprint=16MiB";
  std::vector<double> ratios;
  for (const auto& words :
       {chase, "kernel=chase footprint=17MiB"s, chase + " seed=7", chase + " shared=1", chase + " locality=4KiB",
        chase + " burst=2KiB", chase + " order=sequential", chase + " order=random", flush, flush + " skew=64",
        flush + " access=64", flush + " order=sequential", flush + " fence=line", flush + " fence=chunk",
        flush + " fence=never"})
    ratios.push_back(ratio(words));
  CHECK(ratio(chase + " streams=1") == ratios[0]);  // the default, typed
  std::ranges::sort(ratios);
  for (std::size_t i = 1; i < ratios.size(); ++i) CHECK(ratios[i] - ratios[i - 1] > 1e-9);
}

TEST_CASE("threads whose slices are multiples of the interleaving march in step only without jitter") {
  const auto with = [](const std::string& words) {
    Simulation simulation;
    simulation.prepare(
        {plan_of("kernel=write_nt cpus=0-3 footprint=192MiB "
                 "target=sim:optane100,memory.pmem.ways=6,memory.pmem.grain=4KiB" +
                 words)});
    measured(simulation);
    return rate(measured(simulation), 4) * 64;
  };
  CHECK(with("") == doctest::Approx(13.96e9).epsilon(0.02));
  CHECK(with(",cpu.scatter=0ns,cpu.handover=0ns") < 5e9);
}

TEST_CASE("jitter moves no rate of a cache, and none of a memory that is not interleaved" *
          doctest::test_suite("slow")) {
  const auto per_thread = [](const std::string& where, const std::string& footprint, unsigned threads) {
    Simulation simulation;
    simulation.prepare({plan_of("kernel=read cpus=0-" + std::to_string(threads - 1) + " footprint=" + footprint +
                                " target=sim:optane100,memory.pmem.ways=6,memory.pmem.grain=4KiB" + where)});
    measured(simulation);
    return rate(measured(simulation), threads) / threads;
  };
  for (const std::string where : {"", ",memory=dram"}) {
    CAPTURE(where);
    CHECK(per_thread(where, "512KiB", 2) == doctest::Approx(per_thread(where, "256KiB", 1)).epsilon(0.001));
  }
}

TEST_CASE("two experiments on one machine share no draw: migrations come after other numbers of writes") {
  const auto first = [](const std::string& words) {
    Simulation simulation;
    simulation.prepare(
        {plan_of("kernel=flush_nt cpus=0 footprint=4KiB element=256 access=256 fence=chunk per_block=1 "
                 "order=sequential target=sim:optane100,memory.pmem.migration.writes=500 " +
                 words)});
    const auto blocks = measured(simulation, 2e-3, 1e-6);
    const auto longest =
        std::ranges::max_element(blocks, {}, [](const Block& block) { return block.stop_ticks - block.start_ticks; });
    return longest - blocks.begin();
  };
  CHECK(first("seed=7") == first("seed=7"));
  CHECK(first("seed=7") != first("seed=8"));
}

TEST_CASE("a real target with a simulated one is refused by its name, in either place") {
  const auto said = [](const std::string& words) { return refusal({"kernel=copy cpus=0 footprint=1MiB " + words}); };
  CHECK(said("target=node:0 source=sim:flat") ==
        "BadPlan: target=node:0 is real and another target of this experiment simulated; take sim: for all of them");
  CHECK(holds(said("target=sim:flat source=node:0"), "source=node:0 is real"));
  CHECK(holds(
      refusal({"kernel=copy cpus=0 footprint=1MiB target=node:1", "kernel=copy cpus=1 footprint=1MiB target=sim:flat"}),
      "target=node:1 is real"));
}

TEST_CASE("blocks end in time if many threads wait for a slow memory") {
  Simulation simulation;
  simulation.prepare({plan_of(
      "kernel=flush_nt target=sim:blank,memory.m.media.write=400ns cpus=0-23 footprint=4MiB element=1KiB access=64B "
      "order=random fence=never")});
  double longest = 0;
  for (const auto& block : measured(simulation, 10e-3)) longest = std::max(longest, seconds_of(block));
  const auto later = measured(simulation, 10e-3);
  CHECK(longest > 300e-6);  // the first blocks, of 64 lines each
  CHECK(later.size() > std::size_t{24} * 40);
}

TEST_CASE("noise spreads the clock's times around the truth, and steal is marked") {
  Simulation simulation;
  simulation.prepare({plan_of(
      "kernel=chase target=sim:flat,noise.scale=1,noise.jitter=0.05,noise.interrupts=0,noise.steals=200 cpus=0 "
      "footprint=1MiB")});
  const auto blocks = measured(simulation, 50e-3);
  std::vector<double> clean;
  std::size_t stolen = 0;
  for (const auto& block : blocks) {
    stolen += (block.flags & STOLEN) != 0 ? 1U : 0U;
    if (block.flags == 0) clean.push_back(seconds_of(block) / static_cast<double>(block.operations));
  }
  CHECK(stolen > 0);
  CHECK(stolen < blocks.size() / 10);
  std::ranges::sort(clean);
  CHECK(clean[clean.size() / 2] == doctest::Approx(100e-9).epsilon(0.02));
  CHECK(clean[clean.size() * 9 / 10] > 102e-9);
}

TEST_CASE("another loop variant keeps the machine and its other groups") {
  Simulation simulation;
  simulation.prepare({plan_of("kernel=read target=sim:flat cpus=0 footprint=64MiB"),
                      plan_of("kernel=chase target=sim:flat cpus=1 footprint=1MiB")});
  simulation.set(0, plan_of("kernel=write_nt target=sim:flat cpus=0 footprint=64MiB"));
  CHECK(simulation.groups()[0].plan.kernel == "write_nt");
  measured(simulation);
  CHECK(simulation.counters().at("flat.writes") > 0);
}

TEST_CASE("copies between two memories of one machine go from the source to the target") {
  Simulation simulation;
  const std::string two =
      "sim:flat,default=flat,memory.far.kind=flat,memory.far.size=1GiB,memory.far.read=300ns,"
      "memory.far.write=300ns,memory.far.bandwidth=50GB/s,memory.far.slots=32";
  simulation.prepare(
      {plan_of("kernel=copy_nt target=" + two + " source=" + two + ",memory=far cpus=0 footprint=64MiB")});
  measured(simulation);
  const auto counters = simulation.counters();
  CHECK(counters.at("far.reads") > 0);
  CHECK(counters.at("far.writes") == 0);
  CHECK(counters.at("flat.reads") == 0);
  CHECK(counters.at("flat.writes") > 0);
}

TEST_CASE("a chain takes the sum of the latencies of its steps, each on its memory") {
  const std::string two =
      "sim:flat,default=flat,memory.flat.read=100ns,memory.flat.write=150ns,memory.far.kind=flat,"
      "memory.far.size=1GiB,memory.far.read=300ns,memory.far.write=500ns,memory.far.bandwidth=50GB/s,"
      "memory.far.slots=32";
  const std::map<std::string, double> chains{
      {"read 64 a, read 64 b", 100 + 300},
      {"read 64 b, read 64 a, read 64 a", 300 + 100 + 100},
      {"read 64 a, write 64 b nt flush", 100 + 500},
      {"read 64 b, write 64 a nt flush, write 64 a nt flush", 300 + 150 + 150},
  };
  for (const auto& [words, expected_ns] : chains) {
    const std::string& chain = words;  // Clang 14 captures no structured binding
    CAPTURE(chain);
    Simulation simulation;
    const bool far = chain.find(" b") != std::string::npos;
    simulation.prepare({plan_of("kernel=chain target=" + two + (far ? " source=" + two + ",memory=far" : "") +
                                " cpus=0 footprint=64MiB chain=" + percent_encoded(chain))});
    for (const auto& block : measured(simulation))
      CHECK(seconds_of(block) / static_cast<double>(block.operations) ==
            doctest::Approx(expected_ns * 1e-9).epsilon(0.01));
    CHECK(simulation.check()[0] == 0);
  }
}

TEST_CASE("a kernel without a simulated form is refused with what to try") {
  const std::string good = "kernel=read target=sim:flat cpus=0 footprint=1MiB";
  CHECK(holds(refusal({"kernel=read target=sim:nosuch cpus=0 footprint=1MiB"}), "unknown simulated machine 'nosuch'"));
  CHECK(holds(refusal({"kernel=read target=sim:flat cpus=99 footprint=1MiB"}), "cpu.count=N gives it more"));
  CHECK(holds(refusal({"kernel=read target=sim:flat cpus=0 footprint=1TiB"}), "ask for smaller footprints"));
  CHECK(holds(refusal({"kernel=read target=sim:flat,memory=near cpus=0 footprint=1MiB"}), "has no memory 'near'"));
  CHECK(holds(refusal({good, "kernel=read target=node:0 cpus=1 footprint=1MiB"}), "take sim: for all"));
  CHECK(holds(refusal({good, "kernel=read target=sim:flat,cpu.count=2 cpus=1 footprint=1MiB"}),
              "one machine is simulated"));
  CHECK(holds(refusal({good, good + " pages=4k"}), "pages of one size"));
  CHECK(holds(refusal({"kernel=read target=sim:ddr5,pages.bytes=4KiB cpus=0 footprint=1MiB"}), "take pages=4k"));
  CHECK(holds(refusal({"kernel=read target=sim:ddr5,memory=dram,memory=dram cpus=0 footprint=1MiB"}), "two memories"));
  CHECK(holds(refusal({"kernel=read target=sim:flat, cpus=0 footprint=1MiB"}), "ends in a comma"));
  CHECK(holds(refusal({"kernel=memcpy target=sim:flat cpus=0 footprint=1MiB"}), "has no simulated form"));
  CHECK(holds(refusal({"kernel=read target=sim:flat,memory.flat.color=red cpus=0 footprint=1MiB"}),
              "memory.flat.color: no such key"));
  CHECK(holds(refusal({"kernel=read target=sim:flat,memory.flat.read=-5ns cpus=0 footprint=1MiB"}),
              "memory.flat.read: -5ns is negative"));
  CHECK(holds(refusal({"kernel=read target=sim:/nonexistent/x.toml cpus=0 footprint=1MiB"}), "/nonexistent/x.toml"));
  Simulation simulation;
  simulation.prepare({plan_of(good), plan_of(good)});
  CHECK(holds(error_of([&] { simulation.measure(1e-3, 50e-6, {}, nullptr); }), "CPU 0 is named twice"));
}
