/// The orders that probers of a memory need: each block once, region after region; blocks read and chased as a whole;
/// blocks touched in part; windows by address; single operations, timed one by one.
#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <set>

#include "base/cpuid.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "bench/tasks/hop.hpp"
#include "folder.hpp"
#include "kernels/baseline/chase.hpp"
#include "kernels/blocks.hpp"
#include "says.hpp"

using namespace tierscope;
using kernels::LINE;
using kernels::Order;
using tests::error_of;
using tests::holds;

namespace {

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  plan.pages = "4k";
  plan.cpus = {sys::allowed_cpus().front()};
  read_words(parse_line("group " + words).words, plan);
  return plan;
}

/// A group of one member on filled memory.
struct Made {
  explicit Made(const std::string& words) : group(make_group(plan_of(words))) {
    buffer = Registry<TargetEntry>::find("target", "node").make({"0", "4k"})->map(group.footprint());
    place(group, buffer.bytes(), {});
    fill(group, 0, buffer.bytes());
  }
  Member& member() { return group.members[0]; }
  /// Blocks [begin, end) of the slice.
  std::uint64_t walk(std::uint64_t begin, std::uint64_t end) {
    member().pass.begin = begin;
    member().pass.end = end;
    member().done += end - begin;
    return group.variant.function(member().pass);
  }
  std::uint64_t hop(std::uint64_t hops) {
    member().pass.repeats = hops;
    member().done += hops;
    return group.variant.function(member().pass);
  }
  std::byte& at(std::size_t byte) { return member().pass.operand[0][byte]; }
  [[nodiscard]] double error() const { return verify(group, 0); }

  Group group;
  Buffer buffer;
};

/// A pass over `count` blocks in regions of `region` that touches no memory, from the third block of a slice on.
kernels::Pass pass_of(std::uint64_t count, std::uint64_t region) {
  static std::byte base;
  kernels::Pass pass;
  pass.operand[0] = &base;
  pass.element = 1;
  pass.nodes = count;
  pass.region = region;
  pass.state = 7;
  pass.order = Order::once;
  pass.cursor = pass.begin = 2;
  pass.end = 2 + count;
  return pass;
}

/// The blocks in the order of their visits, counted from the slice's first; `regions` counts the ends of regions.
std::vector<std::uint64_t> visits(kernels::Pass pass, std::uint64_t& regions) {
  std::vector<std::uint64_t> seen;
  const auto* const first = pass.operand[0] + pass.cursor;
  kernels::blocks::walk(
      pass, [&](const std::byte* at) { seen.push_back(static_cast<std::uint64_t>(at - first)); }, [&] { ++regions; });
  return seen;
}

std::vector<std::uint64_t> numbers_to(std::uint64_t count, std::uint64_t from = 0) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

}  // namespace

TEST_CASE("each block of a region is visited once before the next region starts") {
  for (const std::uint64_t region : {1U, 3U, 40U, 64U, 120U}) {
    CAPTURE(region);
    std::uint64_t ends = 0;
    const auto all = visits(pass_of(3 * region, region), ends);
    REQUIRE(all.size() == 3 * region);
    CHECK(ends == 3);
    for (std::uint64_t r = 0; r < 3; ++r) {
      std::vector<std::uint64_t> part(all.begin() + static_cast<long>(r * region),
                                      all.begin() + static_cast<long>((r + 1) * region));
      for (std::uint64_t i = 0; i < region; ++i) CHECK(part[i] == kernels::blocks::once(r * region + i, region, 7));
      std::ranges::sort(part);
      CHECK(part == numbers_to(region, r * region));
    }
  }
}

TEST_CASE("a pass in parts continues where it stopped, and fences each region once") {
  std::uint64_t ends = 0, parts = 0;
  const auto whole = visits(pass_of(300, 100), ends);
  std::vector<std::uint64_t> joined;
  for (std::uint64_t at = 2; at < 302; at += 7) {
    auto pass = pass_of(300, 100);
    pass.begin = at;
    pass.end = std::min<std::uint64_t>(at + 7, 302);
    const auto some = visits(pass, parts);
    joined.insert(joined.end(), some.begin(), some.end());
  }
  CHECK(joined == whole);
  CHECK(ends == 3);
  CHECK(parts == 3);
}

TEST_CASE("a pass over blocks in any order repeats itself the requested number of times") {
  for (const auto order : {Order::sequential, Order::random, Order::once}) {
    auto pass = pass_of(12, 4);
    pass.order = order;
    pass.repeats = 5;
    std::uint64_t ends = 0;
    CHECK(visits(pass, ends).size() == 60);
    CHECK(ends == (order == Order::once ? 15 : 0));
  }
}

TEST_CASE("blocks are read in any order and stride, and summed up as scalar code does") {
  std::set<std::uint64_t> sums;
  for (const std::string order : {"", " order=sequential", " order=once", " order=once locality=8KiB fence=region"}) {
    CAPTURE(order);
    Made made("kernel=read_blocks footprint=64KiB element=256" + order);
    sums.insert(made.walk(0, made.group.operations));
    CHECK(made.error() == 0);
  }
  CHECK(sums.size() == 1);  // the same words in any order
  for (const auto* words : {"element=64 order=random", "element=4160", "element=512 access=192 order=once"}) {
    CAPTURE(words);
    Made made(std::string("kernel=read_blocks footprint=1MiB ") + words);
    made.walk(0, made.group.operations);
    CHECK(made.error() == 0);
  }
}

TEST_CASE("blocks that are read in part do not count their other lines") {
  Made part("kernel=read_blocks footprint=64KiB element=256 access=64");
  const auto sum = part.walk(0, 256);
  part.at(64) ^= std::byte{1};
  CHECK(part.walk(0, 256) == sum);
  part.at(63) ^= std::byte{1};
  CHECK(part.walk(0, 256) != sum);
}

TEST_CASE("a sum that lacks a block is wrong") {
  Made made("kernel=read_blocks footprint=64KiB order=once locality=4KiB");
  made.walk(0, made.group.operations);
  REQUIRE(made.error() == 0);
  made.group.variant.function = [](kernels::Pass& pass) noexcept {
    ++pass.begin;
    return find_kernel(plan_of("kernel=read_blocks"))->reference()(pass);
  };
  CHECK(made.error() > 0);
}

TEST_CASE("a chase of blocks sums a word of every line of every element that it visits") {
  for (const auto* words : {"element=64", "element=128", "element=192", "element=4KiB", "element=256 locality=4KiB"}) {
    CAPTURE(words);
    Made made(std::string("kernel=chase_blocks footprint=64KiB ") + words);
    for (const std::uint64_t hops : {0U, 1U, 7U, 5000U}) {
      made.hop(hops);
      CHECK(made.error() == 0);
    }
    const auto element = made.group.plan.of<Hops>().element;
    if (element == LINE) continue;
    made.at(element - LINE) ^= std::byte{1};  // first word of the last line of one element
    CHECK(made.error() > 0);
  }
}

TEST_CASE("a chase of blocks that leaves lines out is wrong") {
  Made made("kernel=chase_blocks footprint=64KiB element=256");
  made.hop(100);
  made.group.variant.function = &kernels::chase::pass;
  CHECK(made.error() > 0);
}

TEST_CASE("windows of a chase follow one another by address if that is requested") {
  for (const std::string kernel : {"chase", "chase_blocks"}) {
    CAPTURE(kernel);
    Made made("kernel=" + kernel + " footprint=64KiB element=128 locality=4KiB order=sequential");
    const auto base = reinterpret_cast<std::uintptr_t>(made.member().pass.operand[0]);
    std::set<std::uint64_t> seen;
    for (std::uint64_t step = 0; step < 512; ++step) {
      const auto offset = made.member().pass.cursor - base;
      CHECK(offset / 4096 == step / 32);
      seen.insert(offset);
      made.hop(1);
    }
    CHECK(seen.size() == 512);
    CHECK(made.member().pass.cursor == cycle_of(made.group, made.member()).at(0) * 128 + base);  // round once
    CHECK(made.error() == 0);
  }
  const auto random = make_group(plan_of("kernel=chase footprint=64KiB locality=4KiB"));
  const auto as_they_lie = make_group(plan_of("kernel=chase footprint=64KiB locality=4KiB order=sequential"));
  CHECK(random.content() != as_they_lie.content());  // memory that contains one cannot pass for the other
}

TEST_CASE("an element is any number of lines") {
  for (const auto* words : {"element=4160 footprint=1MiB", "element=2097216 footprint=7MiB"}) {
    CAPTURE(words);
    Made made(std::string("kernel=chase ") + words);
    CHECK(made.group.footprint() % made.group.plan.of<Hops>().element == 0);
    made.hop(1000);
    CHECK(made.error() == 0);
  }
}

#if defined(__x86_64__)
TEST_CASE("stores that visit each block once leave the last stored words, with any fence") {
  for (const auto* kernel : {"flush_none", "flush_clwb", "flush_nt"})
    for (const auto* words : {"", "fence=line", "fence=never", "fence=region", "fence=region locality=24KiB"}) {
      const auto plan = plan_of(std::string("footprint=384KiB element=512 access=256 order=once per_block=7 kernel=") +
                                kernel + " " + words);
      if (!cpu::missing(find_kernel(plan)->info->needs).empty()) continue;
      CAPTURE(kernel);
      CAPTURE(words);
      Bench bench;
      bench.prepare({plan});
      for (int batch = 0; batch < 2; ++batch) bench.measure(1e-3, 1e-4, {}, nullptr);
      CHECK(bench.check() == std::vector<double>{0.0});
      auto group = bench.groups()[0];
      const auto& pass = group.members[0].pass;
      CHECK(pass.written == group.members[0].done);
      const auto last = kernels::blocks::once((pass.written - 1) % pass.nodes, pass.region, pass.state);
      auto* const block = pass.operand[0] + last * 512;
      block[256] ^= std::byte{1};  // behind what is stored
      CHECK(verify(group, 0) == 0);
      block[255] ^= std::byte{1};
      CHECK(verify(group, 0) > 0);
    }
}

TEST_CASE("single stores are timed one by one until the time is over") {
  const auto plan = plan_of("kernel=flush_nt footprint=256 element=256 fence=chunk per_block=1");
  Bench bench;
  bench.prepare({plan});
  const tests::Folder folder;
  SampleFile samples((folder.path() / "blocks.npy").string());
  const auto rows = bench.measure(5e-3, 1e-6, {}, &samples);
  CHECK(samples.rows() == rows);
  CHECK(bench.groups()[0].members[0].done == rows);  // one in each block
  CHECK(bench.check() == std::vector<double>{0.0});
  Batch batch;
  batch.seconds = 0.3;
  batch.block_s = 1e-6;
  auto group = make_group(plan);
  CHECK(BlockRunner(group, group.members[0], 0, 0, batch).blocks().capacity() >= 300'000);
}
#endif
