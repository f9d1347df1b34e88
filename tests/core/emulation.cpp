/// A tier made slower: what its words mean, what is refused, and that blocks take the time they must. Floors and
/// ceilings are far from the memory's own speed, so that only a wrong clock, or a machine that is never free for a
/// block, could fail them.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "bench/throttle.hpp"
#include "says.hpp"
#include "targets/target.hpp"
#include "team/team.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

std::unique_ptr<Target> emulated(const std::string& where, const std::string& pages = "4k") {
  return Registry<TargetEntry>::find("target", "emu").make({where, pages});
}

std::string refusal(const std::string& where) {
  return error_of([&] { emulated(where); });
}

std::string one_cpu() { return std::to_string(sys::allowed_cpus().front()); }

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  read_words(parse_line("group " + words).words, plan);
  return plan;
}

/// Seconds for one operation of each clean block of 100 us, sorted.
std::vector<double> clean(const Group& group) {
  const Clock& clock = Clock::get();
  Group own = group;
  Batch batch;
  batch.seconds = 0.2;
  batch.block_s = 1e-4;
  batch.sizing = batch.leading = 1;
  BlockRunner runner(own, own.members[0], 0, 0, batch);
  const std::vector<unsigned> cpus{own.members[0].cpu};
  Team team(cpus);
  team.run([&](std::size_t) {
    runner.size();
    runner.run();
  });
  std::vector<double> each;
  for (const auto& block : runner.blocks())
    if (block.flags == 0)
      each.push_back(clock.seconds(block.stop_ticks - block.start_ticks) / static_cast<double>(block.operations));
  std::ranges::sort(each);
  return each;
}

/// Median bytes/s of the clean blocks of one group alone.
double bandwidth_of(const std::string& words) {
  Bench bench;
  bench.prepare({plan_of(words + " cpus=" + one_cpu())});
  const auto each = clean(bench.groups()[0]);
  REQUIRE_FALSE(each.empty());
  return bench.groups()[0].program_bytes() / each[each.size() / 2];
}

}  // namespace

TEST_CASE("a tier's target states what it adds, and by what it is emulated") {
  const auto target = emulated("node=0,latency=2us,bandwidth=1.5GB/s");
  CHECK(target->emulation().latency_floor_s == doctest::Approx(2e-6));
  CHECK(target->emulation().bandwidth == doctest::Approx(1.5e9));
  CHECK(std::string(target->origin()) == "emulated");
  CHECK(target->origin_by() == "DRAM of node 0, floor 2000 ns, ceiling 1.5 GB/s");
  CHECK(emulated("latency=1us")->origin_by() == "DRAM of node 0, floor 1000 ns");
  CHECK(emulated("bandwidth=64MB/s")->origin_by() == "DRAM of node 0, ceiling 0.064 GB/s");
}

TEST_CASE("its memory is the node's") {
  const auto target = emulated("latency=1us");
  const auto buffer = target->map(2U << 20U);
  std::fill(buffer.bytes().begin(), buffer.bytes().end(), std::byte{1});
  CHECK(holds(target->inspect(buffer).how, "smaps"));
  CHECK(holds(refusal("node=99999,latency=1us"), "BadPlan: node 99999 is not online"));
}

TEST_CASE("unknown keys of a tier are refused with the known ones") {
  CHECK(holds(refusal(""), "BadPlan: target emu: emulates nothing; write emu:node=0,latency=350ns,bandwidth=8GB/s"));
  CHECK(holds(refusal("node=0"), "emulates nothing"));
  CHECK(holds(refusal("speed=8GB/s"), "BadPlan: unknown key 'speed' of target emu (known: bandwidth, latency, node)"));
  CHECK(holds(refusal("latency"), "is not of the form key=value"));
  CHECK(holds(refusal("latency="), "is not of the form key=value"));
  CHECK(holds(refusal("latency=1us,latency=2us"), "key 'latency' twice"));
  CHECK(holds(refusal("latency=fast"), "BadPlan: latency=fast is not a number with a unit"));
  CHECK(holds(refusal("bandwidth=8GB"), "BadPlan: bandwidth=8GB is not a rate; write one such as 8GB/s"));
  CHECK(holds(refusal("bandwidth=8Gb/s"), "BadPlan: unknown unit 'Gb' in bandwidth=8Gb"));
}

TEST_CASE("a floor below the clock's resolution, or longer than a block, is refused") {
  CHECK(holds(refusal("latency=1ns"), "BadPlan: latency=1ns is out of range; allowed: "));
  CHECK(holds(refusal("latency=0s"), "reads of this clock"));
  CHECK(holds(refusal("latency=2ms"), "to 1 ms"));
  CHECK(holds(refusal("latency=350"), "BadPlan: latency=350 means 350 s; allowed: "));
  CHECK(holds(refusal("latency=350"), "write latency=350ns"));
  CHECK(holds(refusal("bandwidth=0GB/s"), "BadPlan: bandwidth=0GB/s is out of range; allowed: 1MB/s to 10TB/s"));
  CHECK(holds(refusal("bandwidth=100TB/s"), "is out of range"));
}

TEST_CASE("lines between caches are not slowed, so a hand-over on a slower tier is refused") {
  const auto cpus = sys::allowed_cpus();
  if (cpus.size() < 2) return;
  auto plan = plan_of("kernel=handover target=emu:latency=1us footprint=4KiB");
  plan.cpus = {cpus[0], cpus[1]};
  Bench bench;
  CHECK(holds(error_of([&] { bench.prepare({plan}); }), "BadPlan: kernel handover moves lines between caches"));
}

TEST_CASE("bytes of a tier pass one after another, and time that nobody asked for is lost") {
  Ceiling ceiling(2);
  CHECK(ceiling.pass(1000, 10) == 1020);
  CHECK(ceiling.pass(1005, 10) == 1040);
  CHECK(ceiling.pass(5000, 10) == 5020);
  CHECK(ceiling.pass(1000, 0.1) == 5021);
}

TEST_CASE("threads that ask at the same time get places of their own") {
  Ceiling ceiling(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) ceiling.pass(0, 3);
    });
  for (auto& thread : threads) thread.join();
  CHECK(ceiling.pass(0, 1) == 120'001);
}

TEST_CASE("groups on the same tier share its ceiling, and those on another do not") {
  auto one = make_group(plan_of("kernel=copy target=emu:a footprint=64KiB isa=scalar cpus=0"));
  auto two = make_group(plan_of("kernel=copy target=emu:b footprint=64KiB isa=scalar cpus=0"));
  one.target_adds.bandwidth = two.target_adds.bandwidth = 1e9;
  Ceilings ceilings;
  const Throttle first(one, ceilings), second(one, ceilings);
  CHECK(ceilings.size() == 1);
  const Throttle third(two, ceilings);
  CHECK(ceilings.size() == 2);
  CHECK(first.any());
  CHECK(first.burst() == 78);  // of 128 bytes: 10 us of 1 GB/s
}

TEST_CASE("a copy between tiers uses the bytes of each tier that are on it") {
  auto group = make_group(plan_of("kernel=copy target=node:0 source=emu:slow footprint=64KiB isa=scalar cpus=0"));
  CHECK(group.program_bytes(true) == 64);
  CHECK(group.program_bytes(false) == 64);
  group.source_adds.bandwidth = 64e6;
  Ceilings ceilings;
  const Throttle throttle(group, ceilings);
  CHECK(ceilings.count("emu:slow") == 1);
  CHECK(ceilings.size() == 1);
  CHECK(throttle.burst() == 10);
}

TEST_CASE("plain memory waits for nothing") {
  auto group = make_group(plan_of("kernel=chase target=node:0 footprint=64KiB cpus=0"));
  Ceilings ceilings;
  CHECK_FALSE(Throttle(group, ceilings).any());
  CHECK(ceilings.empty());
}

TEST_CASE("a dependent access takes its floor, from a cache and from memory") {
  for (const auto* kernel : {"chase", "probe"}) {
    Bench bench;
    bench.prepare({plan_of(std::string("kernel=") + kernel +
                           " target=emu:latency=2us pages=4k footprint=1MiB cpus=" + one_cpu())});
    const auto each = clean(bench.groups()[0]);
    REQUIRE_FALSE(each.empty());
    CHECK(each.front() >= 2e-6 * 0.999);  // of a block: single accesses may be short by what the one before was late
    CHECK(each[each.size() / 2] <= 2e-6 * 1.05);
  }
}

TEST_CASE("the answers of chase, read and copy on a slower tier are right") {
  for (const auto* words :
       {"kernel=chase", "kernel=probe", "kernel=copy", "kernel=memset_blocks_random element=256B"}) {
    Bench bench;
    bench.prepare({plan_of(std::string(words) +
                           " target=emu:latency=1us,bandwidth=1GB/s pages=4k footprint=1MiB cpus=" + one_cpu())});
    bench.measure(0.02, 1e-4, {}, nullptr);
    CAPTURE(words);
    CHECK(bench.check() == std::vector<double>{0});
  }
}

TEST_CASE("two threads share a ceiling") {
  const auto cpus = sys::allowed_cpus();
  if (cpus.size() < 2) return;
  auto plan = plan_of("kernel=read target=emu:bandwidth=100MB/s pages=4k footprint=1MiB");
  plan.cpus = {cpus[0], cpus[1]};
  Bench bench;
  bench.prepare({plan});
  std::uint64_t lines = 0;
  const auto before = Clock::get().now();
  bench.measure(0.2, 1e-4, {}, nullptr);
  const double seconds = Clock::get().seconds(Clock::get().now() - before);
  for (const auto& member : bench.groups()[0].members) lines += member.done;
  CHECK(static_cast<double>(lines) * 64 <= 100e6 * seconds * 1.01);
}

TEST_CASE("bytes pass at the ceiling, of lines and of blocks") {
  const std::string tier = "target=emu:bandwidth=100MB/s pages=4k footprint=1MiB ";
  for (const auto* kernel : {"kernel=read", "kernel=copy", "kernel=memcpy_blocks element=4KiB",
                             "kernel=memset_blocks_random element=256B", "kernel=read pace=10"}) {
    const double reached = bandwidth_of(tier + kernel);
    CAPTURE(kernel);
    CHECK(reached <= 100e6 * 1.001);
    CHECK(reached >= 100e6 * 0.9);
  }
}

TEST_CASE("a chain runs at the ceiling of the tier that it asks most of") {
  const std::string tiers = "kernel=chain target=node:0 source=emu:bandwidth=50MB/s pages=4k footprint=1MiB ";
  const double reached = bandwidth_of(tiers + "chain=read%2064%20a,read%20192%20b");  // a quarter is on node 0
  CHECK(reached <= 50e6 * 256 / 192 * 1.001);
  CHECK(reached >= 50e6 * 256 / 192 * 0.9);
}

TEST_CASE("a copy out of a slower tier runs at its ceiling, both halves of it") {
  const double reached = bandwidth_of("kernel=copy target=node:0 source=emu:bandwidth=50MB/s pages=4k footprint=1MiB");
  CHECK(reached <= 100e6 * 1.001);
  CHECK(reached >= 100e6 * 0.9);
}
