/// Plans become groups: shares, kernels, and every refusal.
#include "bench/group.hpp"

#include <doctest/doctest.h>

#include "bench/task.hpp"
#include "says.hpp"
#include "spy.hpp"
#include "variants.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;
namespace spy = tests::spy;

namespace {

const Registration<kernels::KernelEntry> here{spy::entry}, elsewhere{spy::elsewhere}, empty{spy::empty},
    ranked[]{Registration{spy::ranked[0]}, Registration{spy::ranked[1]}, Registration{spy::ranked[2]}};

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  read_words(parse_line("group cpus=0 " + words).words, plan);
  return plan;
}
std::string refusal(const std::string& words) {
  return error_of([&] { make_group(plan_of(words)); });
}

}  // namespace

TEST_CASE("the footprint is shared out in whole granules") {
  auto plan = plan_of("kernel=spy footprint=1000KiB streams=2 unroll=4");
  plan.cpus = {3, 1};
  const auto group = make_group(plan);
  // 1000 KiB / 2 operands / 64 B = 8000 lines; 4000 each; granule 8
  REQUIRE(group.members.size() == 2);
  CHECK(group.operations == 8000);
  CHECK(group.footprint() == 1000 * 1024);
  CHECK(group.members[0].cpu == 3);
  CHECK(group.members[0].begin == 0);
  CHECK(group.members[0].end == 4000);
  CHECK(group.members[1].begin == 4000);
  CHECK(group.members[1].position == 4000);
  CHECK(group.members[1].end == 8000);
}

TEST_CASE("operations that do not fill a granule are left out") {
  CHECK(make_group(plan_of("kernel=spy footprint=130B")).operations == 1);
  CHECK(make_group(plan_of("kernel=spy footprint=2MiB streams=4 interleave=4KiB")).operations == 16384);
  CHECK(make_group(plan_of("kernel=spy footprint=2100000B streams=4 interleave=4KiB")).operations == 16384);
  CHECK(make_group(plan_of("kernel=chase footprint=10000B locality=4KiB")).footprint() == 8192);
  CHECK(make_group(plan_of("kernel=chase footprint=10000B element=1KiB")).operations == 9);
  CHECK(make_group(plan_of("kernel=chase footprint=10000B locality=128 spacing=1KiB")).footprint() == 8192);
}

TEST_CASE("the error for a small footprint states the smallest one that works") {
  CHECK(holds(refusal("kernel=spy footprint=127B"),
              "footprint of 127 bytes is too small for kernel spy on 1 CPUs in this "
              "shape; ask for at least 128B"));
  for (const std::string words :
       {"kernel=spy streams=2 unroll=4", "kernel=spy streams=4 interleave=4KiB", "kernel=chase",
        "kernel=chase locality=4KiB", "kernel=probe element=128", "kernel=chase locality=192 spacing=4KiB"}) {
    CAPTURE(words);
    const auto message = refusal(words);
    const auto at = message.find("ask for at least ");
    REQUIRE(at != std::string::npos);
    const auto least = parse_bytes("least", message.substr(at + 17));
    CHECK(refusal(words + " footprint=" + std::to_string(least)).empty());
    CHECK_FALSE(refusal(words + " footprint=" + std::to_string(least - 1)).empty());
  }
}

TEST_CASE("keys that contradict each other are refused") {
  CHECK(holds(error_of([] { make_group(GroupPlan{}); }), "needs cpus="));
  CHECK(holds(refusal("kernel=noop footprint=1MiB"),
              "does not take footprint=1048576; of the keys that depend on the kernel it takes none"));
  CHECK(holds(refusal("kernel=none footprint=1MiB"), "BadPlan: unknown kernel 'none' (known: add, "));
  CHECK(holds(refusal("kernel=none isa=scalar footprint=1MiB"), "BadPlan: unknown kernel 'none'"));
  CHECK(holds(refusal("kernel=spy footprint=1MiB interleave=8KiB"), "interleave=8192 is not built"));
  CHECK(holds(refusal("kernel=chase footprint=1MiB element=32"), "element=32 is not a multiple of a cache line"));
  CHECK(holds(refusal("kernel=chase footprint=1MiB element=0"), "element=0 is not a multiple"));
  CHECK(holds(refusal("kernel=chase footprint=1MiB locality=100"), "locality=100 is not a multiple of element=64"));
  CHECK(holds(refusal("kernel=chase footprint=1MiB spacing=100"), "spacing=100 is not a multiple of element=64"));
  CHECK(holds(refusal("kernel=chase footprint=1MiB spacing=4KiB"), "add locality=, the bytes that a window visits"));
  CHECK(holds(refusal("kernel=spy footprint=1MiB skew=8"), "skew=8 is not a multiple of 64"));
  CHECK(holds(refusal("kernel=spy footprint=1MiB pace=1000000001"), "pace=1000000001 is above"));
  CHECK(refusal("kernel=spy footprint=1MiB pace=1000000000").empty());
  auto twice = plan_of("kernel=spy footprint=1MiB");
  twice.cpus = {1, 0, 1};
  CHECK(holds(error_of([&] { make_group(twice); }), "names a CPU twice"));
}

TEST_CASE("a loop variant that is not built is refused with those that are") {
  CHECK(holds(
      refusal("kernel=spy footprint=1MiB streams=3"),
      "BadPlan: spy/scalar is not built for streams=3 unroll=1 interleave=0 prefetch=0 prefetchw=0; it is built for "
      "streams=1,unroll=1 streams=2,unroll=4 streams=4,unroll=1,interleave=4KiB"));
}

TEST_CASE("the best ISA that runs is taken, and one that does not run is never taken silently") {
  CHECK(make_group(plan_of("kernel=spy footprint=1MiB")).plan.isa == "scalar");
  CHECK(make_group(plan_of("kernel=ranked footprint=1MiB")).plan.isa == "b");
  CHECK(make_group(plan_of("kernel=ranked isa=c footprint=1MiB")).plan.isa == "c");
  CHECK(holds(refusal("kernel=spy isa=warp footprint=1MiB"),
              "Unsupported: kernel spy/warp needs the CPU features warp_drive"));
  CHECK(holds(refusal("kernel=spy isa=mmx footprint=1MiB"),
              "BadPlan: unknown isa 'mmx' for kernel spy; here it runs on scalar"));
  CHECK(holds(refusal("kernel=spy_nt footprint=1MiB"), "Unsupported: kernel spy_nt does not exist on scalar"));
}

TEST_CASE("operands follow one another, shifted by the skew") {
  auto group = make_group(plan_of("kernel=spy footprint=128KiB skew=192"));
  std::vector<std::byte> memory(128 * 1024 + 3 * 192);
  place(group, memory, {});
  const auto& pass = group.members[0].pass;
  CHECK(pass.operand[0] == memory.data());
  CHECK(pass.operand[1] == memory.data() + 64 * 1024 + 192);
}

TEST_CASE("memory is filled again only if its content would differ") {
  const auto reals = make_group(plan_of("kernel=spy footprint=1MiB")).content();
  CHECK(make_group(plan_of("kernel=read footprint=2MiB")).content() == reals);
  CHECK(make_group(plan_of("kernel=spy footprint=1MiB seed=2")).content() != reals);
  const auto cycle = make_group(plan_of("kernel=chase footprint=1MiB")).content();
  CHECK(cycle != reals);
  CHECK(make_group(plan_of("kernel=probe footprint=1MiB")).content() == cycle);
  CHECK(make_group(plan_of("kernel=chase footprint=1MiB locality=4KiB")).content() != cycle);
  CHECK(make_group(plan_of("kernel=chase footprint=1MiB element=128")).content() != cycle);
  const auto pairs = make_group(plan_of("kernel=chase footprint=1MiB locality=128")).content();
  CHECK(make_group(plan_of("kernel=chase footprint=1MiB locality=128 spacing=4KiB")).content() != pairs);
}

TEST_CASE("bytes of an operation are those that it touches") {
  const auto bytes = [](const std::string& words) {
    return make_group(plan_of("footprint=1MiB element=4KiB kernel=" + words)).program_bytes();
  };
  CHECK(bytes("chase") == 8);
  CHECK(bytes("chase_blocks") == 4096);
  CHECK(bytes("read_blocks") == 4096);
  CHECK(bytes("read_blocks access=256") == 256);
  const auto part = make_group(plan_of("kernel=read_blocks footprint=1MiB element=4KiB access=64"));
  CHECK(part.bus_bytes() == 64);
  CHECK(part.program_bytes(false) == 64);
  CHECK(part.footprint() == 1U << 20U);
  CHECK(make_group(plan_of("kernel=memcpy_blocks footprint=1MiB")).bus_bytes() < 0);
}

TEST_CASE("keys of blocks that contradict each other are refused") {
  const auto refused = [](const std::string& words) { return refusal("footprint=1MiB " + words); };
  CHECK(holds(refused("kernel=chase order=once"), "order=once is for blocks"));
  CHECK(holds(refused("kernel=probe order=sequential"), "does not take order="));
  CHECK(holds(refused("kernel=triad order=random"), "kernel triad does not take order=random"));
  CHECK(holds(refused("kernel=memset_blocks_random order=sequential"), "does not take another order="));
  CHECK(
      holds(refused("kernel=chase access=64"),
            "kernel chase does not take access=64; of the keys that depend on the kernel it takes element, footprint, "
            "locality, order, spacing"));
  CHECK(holds(refused("kernel=read_blocks element=256 access=32"),
              "access=32 is not a multiple of 64 up to element=256"));
  CHECK(holds(refused("kernel=read_blocks element=256 access=320"), "up to element=256"));
  CHECK(holds(refused("kernel=read_blocks element=8"), "which is read"));
  CHECK(holds(refused("kernel=read_blocks locality=4KiB"), "add order=once"));
  CHECK(holds(refused("kernel=read_blocks fence=line"), "fence=region is for this one too"));
  CHECK(holds(refused("kernel=read_blocks fence=region"), "needs the regions of order=once"));
  CHECK(holds(refused("kernel=flush_msync order=once fence=region"), "take fence=chunk"));
  CHECK(holds(refused("kernel=read_blocks order=once locality=2MiB"), "ask for at least 2097152B"));
  CHECK(make_group(plan_of("kernel=read_blocks order=once locality=384KiB footprint=1MiB")).footprint() == 768U << 10U);
}

TEST_CASE("memory that a kernel updates is filled again for any other kernel, not for itself") {
  const auto plan = plan_of("kernel=update footprint=1MiB");
  const auto updated = make_group(plan).content();
  for (const auto& shape : {tests::most_streams(plan), std::string("prefetch=512B")})
    CHECK(make_group(plan_of("kernel=update footprint=2MiB " + shape)).content() == updated);
  CHECK(make_group(plan_of("kernel=read footprint=1MiB")).content() != updated);
}

TEST_CASE("a victim has an entry of its own, which lives as long as its group") {
  const auto first = make_group(plan_of("kernel=command target=null command=true"));
  auto second = std::make_unique<Group>(make_group(plan_of("kernel=command target=null command=true")));
  CHECK(first.entry != second->entry);
  CHECK(first.entry->info->wait == kernels::Wait::processes);
  second.reset();
  CHECK(first.entry->kernel == "command");
  CHECK(first.task->name == "task");
}
