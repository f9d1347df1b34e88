/// Groups that alternate or run together: takes, CPUs shared on purpose, operands on two targets, blocks of any size,
/// lines handed over, tasks.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "base/cpuid.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "bench/tasks/block.hpp"
#include "folder.hpp"
#include "kernels/bytes.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

/// A victim whose task takes 20 ms and writes down what happened.
struct Patient final : Victim {
  static inline std::atomic<int> made{0}, runs{0};
  static inline std::atomic<bool> fails{false};
  std::thread::id maker = std::this_thread::get_id();
  bool elsewhere = false;
  Patient() { ++made; }
  void run() noexcept override {
    ++runs;
    elsewhere = elsewhere || maker != std::this_thread::get_id();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  [[nodiscard]] std::string failure() const override { return fails ? "victim patient gave up" : ""; }
  [[nodiscard]] double check() const override { return elsewhere ? 1 : 0; }
  [[nodiscard]] std::size_t memory_bytes() const override { return 4711; }
  [[nodiscard]] std::string detail() const override { return "well"; }
};
constexpr VictimEntry patient{"patient", "a test's own", "", "", [](const VictimOptions& options) {
                                if (options.size == "huge") throw BadPlan("no such size");
                                return std::unique_ptr<Victim>(std::make_unique<Patient>());
                              }};
constexpr VictimEntry absent{"absent", "a test's own", "", "built without it",
                             [](const VictimOptions&) { return std::unique_ptr<Victim>(); }};
const Registration registration{patient};
const Registration another{absent};

GroupPlan plan_of(const std::string& words, std::vector<std::size_t> cpus = {0}) {
  GroupPlan plan;
  plan.pages = "4k";
  read_words(parse_line("group " + words).words, plan);
  const auto allowed = sys::allowed_cpus();
  for (const auto cpu : cpus) plan.cpus.push_back(allowed[cpu % allowed.size()]);
  return plan;
}

bool two_cpus() { return sys::allowed_cpus().size() > 1; }

/// The timed blocks of one batch, read back from the samples.
std::vector<Block> blocks_of(Bench& bench, const std::vector<unsigned>& take) {
  const tests::Folder folder;
  const auto path = (folder.path() / "blocks.npy").string();
  SampleFile samples(path);
  const auto rows = bench.measure(5e-3, 1e-3, take, &samples);
  std::vector<Block> blocks(rows);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  std::fseek(file, -static_cast<long>(rows * sizeof(Block)), SEEK_END);
  CHECK(std::fread(blocks.data(), sizeof(Block), rows, file) == rows);
  std::fclose(file);
  std::erase_if(blocks, [](const Block& block) { return (block.flags & SIZING) != 0; });
  return blocks;
}

std::multiset<unsigned> groups_of(Bench& bench, const std::vector<unsigned>& take) {
  std::multiset<unsigned> groups;
  for (const auto& block : blocks_of(bench, take)) groups.insert(block.group);
  return groups;
}

}  // namespace

TEST_CASE("a take runs its groups and no other") {
  Bench bench;
  const auto plan = plan_of("kernel=noop target=null");
  bench.prepare({plan, plan, plan});
  const auto found = groups_of(bench, {1});
  CHECK(found.count(1) == found.size());
  CHECK(found.size() > 0);
  CHECK(holds(error_of([&] { bench.measure(1e-3, 1e-4, {3}, nullptr); }), "BadPlan: measure names group 3"));
}

TEST_CASE("threads beyond the CPUs share them if that is requested") {
  const auto words = "kernel=read footprint=1MiB";
  CHECK(holds(error_of([&] { make_group(plan_of(words, {0, 0})); }), "names a CPU twice; shared=1 lets"));
  Bench bench;
  bench.prepare({plan_of(std::string(words) + " shared=1", {0, 0, 0})});
  CHECK(groups_of(bench, {}).size() >= 3);
  CHECK(bench.check() == std::vector<double>{0.0});
  bench.prepare({plan_of("kernel=noop target=null shared=1"), plan_of("kernel=noop target=null shared=1")});
  CHECK(groups_of(bench, {}).count(1) > 0);
}

TEST_CASE("an operand that is only read may be on another target") {
  const tests::Folder folder;
  Bench bench;
  const auto source = " source=file:" + (folder.path() / "far").string();
  bench.prepare({plan_of("kernel=copy footprint=2MiB" + source)});
  const auto& store = bench.store(0);
  const auto& pass = bench.groups()[0].members[0].pass;
  CHECK(store.target.buffer.bytes().size() < (std::size_t{2} << 20U));
  CHECK(pass.operand[0] == store.target.buffer.bytes().data());
  CHECK(pass.operand[1] == store.source.buffer.bytes().data());
  groups_of(bench, {});
  CHECK(bench.check() == std::vector<double>{0.0});
  CHECK(std::filesystem::is_empty(folder.path()));
  bench.set(0, plan_of("kernel=copy footprint=2MiB"));
  CHECK(bench.store(0).source.target == nullptr);
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=write footprint=2MiB" + source)); }),
              "kernel write has no operand that is only read"));
}

TEST_CASE("blocks of any size are walked, drawn and checked") {
  for (const auto* kernel : {"memcpy_blocks", "memset_blocks", "memset_blocks_random"})
    for (const auto* element : {"8B", "24B", "8KB", "1MB"}) {
      CAPTURE(kernel);
      CAPTURE(element);
      Bench bench;
      bench.prepare({plan_of(std::string("kernel=") + kernel + " footprint=5MB per_block=3 element=" + element)});
      CHECK(groups_of(bench, {}).size() > 0);
      CHECK(bench.check() == std::vector<double>{0.0});
      auto group = bench.groups()[0];
      const auto element_bytes = group.plan.of<Blocks>().element;
      auto* victim = group.members[0].pass.operand[0];
      if (group.entry->info->drawn)
        victim += kernels::bytes::drawn(group.members[0].pass.state, group.members[0].pass.nodes) * element_bytes;
      *victim ^= std::byte{1};
      CHECK(verify(group, 0) > 0);
    }
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=memset_blocks footprint=1MB element=12B")); }),
              "element=12 is not a multiple of 8 bytes"));
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=memset_blocks footprint=1MB element=2MB")); }),
              "ask for at least 2000000B"));
  CHECK(make_group(plan_of("kernel=memcpy_blocks footprint=1MB element=8KB")).program_bytes() == 16000);
}

TEST_CASE("per_block=1 times exactly one operation in each block") {
  Bench bench;
  bench.prepare({plan_of("kernel=memset_blocks footprint=1MB element=8KB per_block=1")});
  bench.measure(1e-3, 1e-4, {}, nullptr);
  CHECK(bench.groups()[0].members[0].block == 1);
}

TEST_CASE("draws can be walked backwards") {
  for (std::uint64_t state : {0ULL, 1ULL, 1995ULL, ~0ULL})
    CHECK(kernels::bytes::previous_draw(kernels::bytes::next_draw(state)) == state);
}

TEST_CASE("a line is handed over between two CPUs, batch after batch") {
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=handover footprint=1KiB")); }), "runs on two CPUs, not on 1"));
  if (!two_cpus()) return;
  Bench bench;
  bench.prepare({plan_of("kernel=handover footprint=1KiB", {0, 1})});
  for (int batch = 0; batch < 3; ++batch) groups_of(bench, {});
  const auto& members = bench.groups()[0].members;
  CHECK(members[0].pass.cursor > 0);
  CHECK(members[0].pass.cursor == members[1].pass.cursor);
  CHECK(bench.check() == std::vector<double>{0.0});
  auto group = bench.groups()[0];
  group.members[1].pass.cursor += 2;
  CHECK(verify(group, 0) > 0);
}

TEST_CASE("a batch lasts until its tasks are done, and the other groups continue meanwhile") {
  Bench bench;
  Patient::made = Patient::runs = 0;
  std::vector<GroupPlan> plans{plan_of("kernel=patient target=null")};
  if (two_cpus()) plans.push_back(plan_of("kernel=noop target=null", {1}));
  bench.prepare(plans);
  const auto found = blocks_of(bench, {});  // 5 ms are asked for, the task takes 20
  REQUIRE(std::ranges::count(found, 0, &Block::group) == 1);
  const auto asked = Clock::get().ticks(15e-3);
  if (two_cpus()) CHECK(found.back().stop_ticks > found.front().start_ticks + asked);
  CHECK(Patient::runs == 1);
  CHECK(bench.check()[0] == 0);
  bench.prepare(plans);
  CHECK(Patient::made == 1);  // the same victim as before
  CHECK(groups_of(bench, {0}).size() == 1);
}

TEST_CASE("a hand-over next to a task ends with it") {
  if (!two_cpus()) return;
  Bench bench;
  std::vector<GroupPlan> plans{plan_of("kernel=patient target=null shared=1"),
                               plan_of("kernel=handover footprint=1KiB shared=1", {0, 1})};
  bench.prepare(plans);
  for (int batch = 0; batch < 10; ++batch) groups_of(bench, {});  // the one that asks may be in a block: it is answered
  const auto& members = bench.groups()[1].members;
  CHECK(members[0].pass.cursor > 0);
  CHECK(members[0].pass.cursor == members[1].pass.cursor);
}

TEST_CASE("victims are made on the thread that runs them, and their refusals are reported") {
  Bench bench;
  CHECK(error_of([&] { bench.prepare({plan_of("kernel=patient size=huge target=null")}); }) == "BadPlan: no such size");
  CHECK(holds(error_of([&] { bench.prepare({plan_of("kernel=absent target=null")}); }),
              "Unsupported: victim absent: built without it"));
  CHECK(holds(error_of([&] { bench.prepare({plan_of("kernel=patient target=node:0")}); }), "write target=null"));
  bench.prepare({plan_of("kernel=patient target=null")});
  Patient::fails = true;
  CHECK(error_of([&] { bench.measure(1e-3, 1e-4, {}, nullptr); }) == "BadPlan: victim patient gave up");
  Patient::fails = false;
}

TEST_CASE("a command in a plan contains no space") {
  CHECK(percent_decoded("command", "sh%20-c%20%22exit%25%22") == "sh -c \"exit%\"");
  CHECK(words_of(plan_of("kernel=command command=sh%20-c%20%22exit%25%22"))
            .starts_with("command=sh%20-c%20\"exit%25\" "));
  for (const auto* word : {"command=100%", "command=%2", "command=%zz", "command=%00"})
    CHECK(holds(error_of([&] { plan_of(word); }), "two hexadecimal digits"));
  CHECK(holds(error_of([&] { plan_of("shared=yes"); }), "neither 0 nor 1"));
}

#if defined(__x86_64__)
TEST_CASE("flushed blocks contain the last stored words, in any order and with any fence") {
  for (const auto* kernel : {"flush_none", "flush_clflush", "flush_clflushopt", "flush_clwb", "flush_nt"})
    for (const auto* words : {"", "fence=line", "fence=never", "order=random", "fence=line order=random"}) {
      if (!cpu::missing(find_kernel(plan_of(std::string("kernel=") + kernel))->info->needs).empty()) continue;
      CAPTURE(kernel);
      CAPTURE(words);
      Bench bench;
      bench.prepare({plan_of(std::string("kernel=") + kernel + " footprint=1MiB element=4KiB per_block=7 " + words)});
      CHECK(groups_of(bench, {}).size() > 0);
      CHECK(bench.groups()[0].members[0].pass.written == bench.groups()[0].members[0].done);
      CHECK(bench.check() == std::vector<double>{0.0});
      auto group = bench.groups()[0];
      group.members[0].pass.written += 1;  // as if one block had been stored that was not
      CHECK(verify(group, 0) > 0);
    }
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=read footprint=1MiB fence=line")); }),
              "does not take fence=line"));
  CHECK(holds(error_of([&] { make_group(plan_of("kernel=flush_nt footprint=1MiB element=8B")); }), "is flushed"));
  CHECK(holds(error_of([&] { plan_of("fence=often"); }), "known: chunk, line, never"));
  CHECK(holds(error_of([&] { plan_of("order=up"); }), "known: random, sequential"));
}
#endif
