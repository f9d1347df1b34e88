/// The bench as a whole, on memory so small that each test takes milliseconds.
#include "bench/bench.hpp"

#include <doctest/doctest.h>

#include "base/syscall.hpp"
#include "says.hpp"
#include "variants.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

GroupPlan plan_of(const std::string& words, unsigned cpu = 0) {
  GroupPlan plan;
  plan.pages = "4k";
  read_words(parse_line("group " + words).words, plan);
  const auto cpus = sys::allowed_cpus();
  plan.cpus = {cpus[cpu % cpus.size()]};
  return plan;
}

std::uint64_t measure(Bench& bench) { return bench.measure(2e-3, 1e-4, {}, nullptr); }

}  // namespace

TEST_CASE("groups are prepared, measured and right") {
  Bench bench;
  std::vector<GroupPlan> plans{plan_of("kernel=add footprint=192KiB")};
  if (sys::allowed_cpus().size() > 1) plans.push_back(plan_of("kernel=chase footprint=64KiB", 1));
  bench.prepare(plans);
  REQUIRE(bench.groups().size() == plans.size());
  CHECK(bench.store(0).target.placement.pages.at(4096) >= 192 * 1024);
  CHECK(measure(bench) >= plans.size());
  CHECK(bench.batch() == 1);
  CHECK(bench.check() == std::vector<double>(plans.size(), 0.0));
  for (const auto& group : bench.groups()) CHECK(group.members[0].done > 0);
}

TEST_CASE("null serves kernels without memory, and no others") {
  Bench bench;
  bench.prepare({plan_of("kernel=noop target=null")});
  CHECK(bench.groups()[0].footprint() == 0);
  CHECK(measure(bench) > 0);
  CHECK(bench.check() == std::vector<double>{0.0});
  CHECK(holds(error_of([&] { bench.prepare({plan_of("kernel=read target=null footprint=1MiB")}); }),
              "Unsupported: target null has no memory for kernel read"));
  CHECK(bench.groups().empty());
}

TEST_CASE("one CPU serves one group at a time") {
  Bench bench;
  const auto plan = plan_of("kernel=noop target=null");
  bench.prepare({plan, plan});
  CHECK(holds(error_of([&] { measure(bench); }),
              "BadPlan: CPU " + std::to_string(plan.cpus[0]) + " is in two groups; shared=1 in both"));
  CHECK(bench.batch() == 0);
}

TEST_CASE("memory of the right size is used again") {
  Bench bench;
  bench.prepare({plan_of("kernel=add footprint=192KiB")});
  const auto* at = bench.store(0).target.buffer.bytes().data();
  bench.prepare({plan_of("kernel=read footprint=64KiB")});
  CHECK(bench.store(0).target.buffer.bytes().data() == at);
  bench.set(0, plan_of("kernel=copy footprint=192KiB"));
  CHECK(bench.store(0).target.buffer.bytes().data() == at);
  measure(bench);
  CHECK(bench.check() == std::vector<double>{0.0});
}

TEST_CASE("the answers of one loop variant are not those of the next") {
  Bench bench;
  bench.prepare({plan_of("kernel=add footprint=192KiB")});
  measure(bench);
  REQUIRE(bench.groups()[0].members[0].done >= bench.groups()[0].operations);
  bench.set(0, plan_of("kernel=add footprint=192KiB"));
  auto group = bench.groups()[0];
  group.members[0].done = group.operations;  // as if a walk had run that wrote nothing
  CHECK(verify(group, 0) > 1e-9);
  measure(bench);
  CHECK(bench.check() == std::vector<double>{0.0});
}

TEST_CASE("a set with wrong keys changes nothing") {
  Bench bench;
  bench.prepare({plan_of("kernel=add footprint=192KiB")});
  CHECK(holds(error_of([&] { bench.set(0, plan_of("kernel=add footprint=192KiB streams=99")); }), "BadPlan"));
  auto other = plan_of("kernel=add footprint=192KiB");
  other.cpus = {8191};
  CHECK(error_of([&] { bench.set(0, other); }) == "BadPlan: set cannot change cpus=; prepare again");
  measure(bench);
  CHECK(bench.check() == std::vector<double>{0.0});
}

TEST_CASE("a set whose memory cannot be had leaves an empty bench, which can be prepared again") {
  Bench bench;
  for (const std::string words : {"kernel=add footprint=1000TiB", "kernel=add footprint=192KiB target=nowhere",
                                  "kernel=add footprint=192KiB target=null", "kernel=read footprint=1MiB pages=7k"}) {
    CAPTURE(words);
    bench.prepare({plan_of("kernel=add footprint=192KiB")});
    CHECK_FALSE(error_of([&] { bench.set(0, plan_of(words)); }).empty());
    CHECK(bench.groups().empty());
  }
  bench.prepare({plan_of("kernel=add footprint=192KiB")});
  measure(bench);
  CHECK(bench.check() == std::vector<double>{0.0});
}

TEST_CASE("a CPU that cannot be had leaves an empty bench") {
  Bench bench;
  auto plan = plan_of("kernel=noop target=null");
  plan.cpus = {8191};
  CHECK(holds(error_of([&] { bench.prepare({plan}); }), "Unsupported: cannot pin a thread to CPU 8191"));
  CHECK(bench.groups().empty());
  bench.prepare({plan_of("kernel=noop target=null")});
  CHECK(measure(bench) > 0);
}

TEST_CASE("updated memory is right over batches and loop variants, and after another kernel in the same memory") {
  Bench bench;
  const std::string update = "kernel=update footprint=192KiB";
  bench.prepare({plan_of(update)});
  const auto streams = tests::most_streams(plan_of(update));
  for (const std::string& words :
       {update + " " + streams, update + " prefetch=512B", std::string("kernel=update footprint=64KiB"),
        std::string("kernel=add footprint=192KiB"), update}) {
    CAPTURE(words);
    measure(bench);
    measure(bench);
    CHECK(bench.check() == std::vector<double>{0.0});
    bench.set(0, plan_of(words));
  }
  measure(bench);
  CHECK(bench.groups()[0].members[0].done > 0);
  CHECK(bench.check() == std::vector<double>{0.0});
}
