/// Chains: what their text means, that places follow from the seed and steps from the data, and every way to be wrong
/// that is noticed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "bench/compare.hpp"
#include "bench/simulation.hpp"
#include "bench/tasks/chain.hpp"
#include "bench/tasks/chain_ranks.hpp"
#include "isa/scalar.hpp"
#include "kernels/vector/chain.hpp"
#include "says.hpp"

using namespace tierscope;
using kernels::LINE;
using kernels::chain::Zipfian;
using simulate::Access;
using simulate::Kind;
using tests::error_of;
using tests::holds;

namespace {

GroupPlan plan_of(const std::string& words, const std::string& chain = "") {
  GroupPlan plan;
  auto line = parse_line("group kernel=chain cpus=0 pages=4k " + words).words;
  if (!chain.empty()) line["chain"] = percent_encoded(chain);
  read_words(line, plan);
  return plan;
}

std::string refusal(const std::string& chain) {
  return error_of([&] { parse_chain(chain); });
}

/// A group on two memories that are filled.
class Made {
 public:
  explicit Made(const std::string& chain, const std::string& words = "", const std::string& isa = "scalar") {
    const bool sized = holds(words, "footprint=");
    auto plan = plan_of((sized ? "source=node:0 " : "footprint=512KiB source=node:0 ") + words, chain);
    plan.isa = isa;
    if (!plan.of<Chains>().uses(1)) plan.source.clear();
    group_ = make_group(plan);
    const auto node = Registry<TargetEntry>::find("target", "node").make({"0", "4k"});
    target_ = node->map(group_.bytes_needed(false));
    source_ = node->map(std::max<std::size_t>(group_.bytes_needed(true), 1));
    place(group_, target_.bytes(), source_.bytes());
    for (const auto& buffer : {target_.bytes(), source_.bytes()}) fill(group_, 0, buffer);
  }
  Member& member() { return group_.members[0]; }
  Group& group() { return group_; }
  void run(std::uint64_t operations) {
    member().pass.repeats = operations;
    group_.variant.function(member().pass);
    member().done += operations;
  }
  [[nodiscard]] std::span<std::byte> target() const { return target_.bytes(); }
  [[nodiscard]] std::span<std::byte> source() const { return source_.bytes(); }
  [[nodiscard]] double error() const { return verify(group_, 0); }

 private:
  Group group_;
  Buffer target_, source_;
};

const std::string MIXED = "read 2048 a, write 128 a, read 1024 b, write 64 b nt, read 64 a, write 192 b";

std::vector<std::string> isas() {
  std::vector<std::string> found;
  for (const kernels::KernelEntry* entry : Registry<kernels::KernelEntry>::entries())
    if (entry->kernel == "chain" && error_of([&] {
                                      auto plan = plan_of("footprint=64KiB");
                                      plan.isa = entry->isa;
                                      make_group(plan);
                                    }).empty())
      found.emplace_back(entry->isa);
  return found;
}

}  // namespace

TEST_CASE("the text of a chain is read with any spaces and units") {
  CHECK(chain_text(parse_chain("read 2KiB a,read 1024 b ,  write 64 b flush")) ==
        "read 2048 a, read 1024 b, write 64 b flush");
  CHECK(chain_text(parse_chain("write 64 a flush nt")) == "write 64 a nt flush");
  CHECK(words_of(plan_of("footprint=1MiB", "read 2KiB a")) == words_of(plan_of("footprint=1MiB", "  read  2048 a")));
  CHECK(holds(words_of(plan_of("footprint=1MiB", "read 128 a, write 64 a clwb")),
              "chain=read%20128%20a,%20write%2064%20a%20clwb"));
  CHECK_FALSE(holds(words_of(plan_of("footprint=1MiB", "read 64 a")), "chain=read"));  // the default
}

TEST_CASE("a step that is wrong is named, with one that is right") {
  CHECK(refusal("read 64 b, reed 64 a") == "BadPlan: chain: step 2 'reed 64 a' begins with 'reed'; try 'read 64 a'");
  CHECK(holds(refusal(""), "step 1 '' is empty; try 'read 64 a'"));
  CHECK(holds(refusal("read 64 a,"), "step 2 '' is empty"));
  CHECK(holds(refusal("write"), "has no bytes; try 'write 64 a'"));
  CHECK(holds(refusal("read a 64"), "has 'a' where its bytes belong"));
  for (const std::string bytes : {"0", "32", "100", "512KiB"})
    CHECK(holds(refusal("read " + bytes + " a"), "has " + bytes + " bytes, not a multiple of 64 up to 256KiB"));
  CHECK(holds(refusal("read 64 c"), "has 'c' as its memory; a is the target, b the source: try 'read 64 a'"));
  CHECK(holds(refusal("write 64"), "has no memory"));
  CHECK(holds(refusal("read 64 a flush"), "has 'flush' behind a read, which takes nothing; try 'read 64 a'"));
  CHECK(holds(refusal("write 64 a fast"), "has 'fast', which is not an option of a write; try nt, flush, or one of"));
  CHECK(holds(refusal("write 64 a flush clwb"), "has two flushes; try 'write 64 a flush'"));
  CHECK(holds(refusal("write 64 a nt clwb"), "try 'write 64 a nt flush'"));
  std::string many = "read 64 a";
  for (int step = 0; step < 32; ++step) many += ",read 64 a";
  CHECK(holds(refusal(many), "it has 33 steps, more than 32"));
}

TEST_CASE("memories and footprints that do not fit a chain are refused") {
  const auto made = [](const std::string& words, const std::string& chain) {
    return error_of([&] { make_group(plan_of(words, chain)); });
  };
  CHECK(holds(made("footprint=1MiB", "read 64 b"), "no step uses a, the target"));
  CHECK(holds(made("footprint=1MiB source=node:0", "read 64 a"), "no step uses b, the memory of source=node:0"));
  CHECK(holds(made("footprint=4KiB", "read 4KiB a, read 64 b"), "ask for at least 8192B"));
  CHECK(holds(made("footprint=4KiB", "read 5KiB a"), "ask for at least 8192B"));
  CHECK(made("footprint=8192B", "read 5KiB a").empty());
  CHECK(holds(made("footprint=1MiB draw=zipf:11", "read 64 a"), "draw=zipf:11 is not known; write uniform"));
  CHECK(holds(made("footprint=1MiB partition=each", "read 64 a"), "partition=each is not known (known: own, shared)"));
}

TEST_CASE("the bytes of an operation are those of its steps, on each memory") {
  const auto group = make_group(plan_of("footprint=1MiB source=node:0", "read 2048 a, read 1024 b, write 64 b flush"));
  CHECK(group.program_bytes() == 2048 + 1024 + 64);
  CHECK(group.program_bytes(false) == 2048);
  CHECK(group.program_bytes(true) == 1024 + 64);
  CHECK(group.footprint() == 1U << 20U);
  CHECK(group.bytes_needed(false) == 512U << 10U);
  CHECK(group.bytes_needed(true) == 512U << 10U);
  if (kernels::OWNS && group.line == LINE) CHECK(group.bus_bytes() == 2048 + 1024 + 128);  // a plain store reads first
  const auto past = make_group(plan_of("footprint=1MiB", "read 64 a, write 128 a nt"));
  if (kernels::OWNS) CHECK(past.bus_bytes() == 64 + 128);
  CHECK(make_group(plan_of("footprint=1MiB draw=zipf", "read 64 a")).bus_bytes() < 0);  // what caches keep: unknown
}

TEST_CASE("a chain is right on every ISA, uniform and by Zipf's law") {
  for (const auto& isa : isas())
    for (const std::string words : {"", "draw=zipf:0.99"}) {
      CAPTURE(isa);
      CAPTURE(words);
      Made made(MIXED, words, isa);
      CHECK(made.error() == 0);
      made.run(1);
      CHECK(made.error() == 0);
      made.run(2000);
      CHECK(made.error() == 0);
      CHECK(made.error() == 0);  // a check leaves memory as it was
      made.run(100);
      CHECK(made.error() == 0);
    }
}

TEST_CASE("every flush of this processor writes the right lines, and a missing one is refused") {
  std::size_t here = 0;
  for (const std::string flush : {"flush", "clwb", "clflushopt", "clflush", "cvadp", "cvap", "cvac", "civac"}) {
    CAPTURE(flush);
    const auto chain = "read 64 a, write 192 a " + flush;
    const auto why = error_of([&] {
      Made made(chain);
      made.run(500);
      CHECK(made.error() == 0);
      ++here;
    });
    if (!why.empty()) CHECK(holds(why, "Unsupported: chain: 'write 192 a " + flush + "' needs "));
  }
#if defined(__x86_64__)
  CHECK(here >= 2);  // clflush is in every x86-64 processor
#endif
}

TEST_CASE("a read of foreign words is detected") {
  Made made("read 64 a, read 128 b");
  made.run(1000);
  REQUIRE(made.error() == 0);
  std::memset(made.source().data(), 0, made.source().size());
  made.run(1000);
  CHECK(made.error() == WRONG);
}

TEST_CASE("the next place depends on every word of a read, so no step can begin without it") {
  for (const auto& isa : isas())
    for (const auto& [memory, bytes] : {std::pair{0U, 256U}, {1U, 64U}}) {
      CAPTURE(isa);
      Made right("read 256 a, read 64 b", "", isa);
      right.run(1);
      for (std::uint64_t word = 0; word < bytes / 8; ++word) {
        CAPTURE(word);
        Made wrong("read 256 a, read 64 b", "", isa);
        const auto& step = chain_of(wrong.group(), wrong.member()).each()[memory];
        auto state = kernels::bytes::next_draw(wrong.member().pass.state);
        if (memory == 1) state = kernels::bytes::next_draw(state);
        ++reinterpret_cast<std::uint64_t*>(kernels::chain::place_of(step, state))[word];
        wrong.run(1);
        CHECK(wrong.member().pass.state != right.member().pass.state);
        CHECK(wrong.error() == WRONG);
      }
    }
}

TEST_CASE("a write flushes each line of the caches that it touches once, however long they are") {
  alignas(256) std::byte memory[1024];
  for (const std::size_t line : {32U, 64U, 128U, 256U})
    for (const std::size_t size : {64U, 192U, 256U})
      for (std::size_t start = 0; start < 256; start += LINE) {
        std::vector<std::uintptr_t> lines, expected;
        const auto first = reinterpret_cast<std::uintptr_t>(memory + start);
        kernels::chain::each_line(memory + start, size, line,
                                  [&](std::byte* at) { lines.push_back(reinterpret_cast<std::uintptr_t>(at) / line); });
        for (auto one = first / line; one <= (first + size - 1) / line; ++one) expected.push_back(one);
        CHECK(lines == expected);
      }
}

TEST_CASE("a lost write, a write to a wrong place and a wrong count are detected") {
  Made made("read 64 a, write 64 b");
  made.run(1000);
  REQUIRE(made.error() == 0);
  const std::vector<std::byte> before(made.source().begin(), made.source().end());
  made.run(1);
  std::memcpy(made.source().data(), before.data(), before.size());
  CHECK(made.error() == WRONG);
  Made off("read 64 a, write 64 b");
  off.run(10);
  ++off.member().done;
  CHECK(off.error() == WRONG);
  Made old("read 64 a, write 64 b", "footprint=8KiB");
  old.run(5000);  // each line of b many times
  REQUIRE(old.error() == 0);
  stir(old.group(), 0);
  CHECK(old.error() == WRONG);
}

namespace {
/// Leaves the sum of its last operation out.
std::uint64_t lazy(kernels::Pass& pass) noexcept {
  const auto function = Registry<kernels::KernelEntry>::find("kernel", "chain/scalar").table()[0].function;
  const auto repeats = std::exchange(pass.repeats, pass.repeats - 1);
  const auto sum = function(pass);
  pass.repeats = 1;
  function(pass);
  pass.repeats = repeats;
  return sum;
}
}  // namespace

TEST_CASE("a sum that lacks an operation is wrong, although the state is right") {
  Made made("read 64 a, read 128 b");
  made.run(100);
  REQUIRE(made.error() == 0);
  made.group().variant.function = &lazy;
  CHECK(made.error() == WRONG);
}

TEST_CASE("threads read their own parts, or all of them, and write their own") {
  const auto cpus = sys::allowed_cpus();
  if (cpus.size() < 2) return;
  for (const std::string words : {"", "partition=shared", "partition=shared draw=zipf:1.2"}) {
    CAPTURE(words);
    auto plan = plan_of("footprint=1MiB source=node:0 " + words, "read 256 a, write 64 a, read 64 b, write 64 b flush");
    plan.cpus = {cpus[0], cpus[1]};
    Bench bench;
    bench.prepare({plan});
    bench.measure(5e-3, 1e-4, {}, nullptr);
    CHECK(bench.check() == std::vector<double>{0});
    const auto& group = bench.groups()[0];
    for (const auto& member : group.members) {
      const auto& steps = chain_of(group, member).each();
      const bool shared = !words.empty();
      CHECK(steps[0].regions == (shared ? 512U : 256U) * 1024 / 256);
      CHECK(steps[0].base == member.pass.operand[0] + (shared ? 0 : member.begin * LINE));
      CHECK(steps[1].base == member.pass.operand[0] + member.begin * LINE);
      CHECK(steps[3].regions == 256U * 1024 / 64);
    }
  }
}

TEST_CASE("memory that one chain left serves the next, and stale lines do not pass for new ones") {
  const auto cpu = sys::allowed_cpus().front();
  Bench bench;
  for (const std::string chain : {"read 64 a, write 64 a", "read 64 a, write 128 b", "read 64 a, write 64 a"}) {
    auto plan = plan_of("footprint=256KiB", chain);
    plan.cpus = {cpu};
    bench.prepare({plan});
    CHECK(bench.check() == std::vector<double>{0});
    bench.measure(2e-3, 1e-4, {}, nullptr);
    CHECK(bench.check() == std::vector<double>{0});
  }
}

TEST_CASE("ranks by Zipf's law have their shares, and each has a place of its own") {
  for (const double exponent : {0.5, 0.99, 1.0, 1.5})
    for (const std::uint64_t regions : {1U, 2U, 3U, 1000U, 4097U, 100'000U}) {
      CAPTURE(exponent);
      CAPTURE(regions);
      const auto ranks = ranks_of(regions, exponent);
      std::vector<double> shares(regions), drawn(regions);
      for (std::uint64_t rank = 0; rank < regions; ++rank)
        shares[rank] = std::pow(static_cast<double>(rank + 1), -exponent);
      const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
      constexpr std::uint64_t DRAWS = 1U << 18U;
      std::uint64_t outside = 0;
      for (std::uint64_t i = 0; i < DRAWS; ++i) {
        const auto rank = Zipfian::rank(ranks, i << 46U | 1U << 30U);  // evenly over all states
        outside += rank < regions ? 0 : 1;
        drawn[std::min(rank, regions - 1)] += 1.0 / DRAWS;
      }
      CHECK(outside == 0);
      double sum = 0, expected = 0, apart = 0;
      std::set<std::uint64_t> places;
      for (std::uint64_t rank = 0; rank < regions; ++rank) {
        apart = std::max(apart, std::abs((sum += drawn[rank]) - (expected += shares[rank] / all)));
        places.insert(Zipfian::place(ranks, regions, rank));
      }
      CHECK(apart <= 1.0 / 1024);  // of the running sums, at every rank
      CHECK(Zipfian::rank(ranks, ~std::uint64_t{0}) == regions - 1);
      CHECK(places.size() == regions);
      CHECK(*places.rbegin() == regions - 1);
    }
  const auto many = ranks_of(std::uint64_t{1} << 32U, 0.99);  // the most
  CHECK(Zipfian::rank(many, ~std::uint64_t{0}) < std::uint64_t{1} << 32U);
  CHECK(std::is_sorted(many.quantile.begin(), many.quantile.end()));
}

namespace {

std::vector<std::pair<std::uint64_t, Kind>> told(const Group& group, const Bases& bases, std::uint64_t operations) {
  std::vector<Access> accesses;
  const auto stream = make_stream(group, 0, bases);
  for (std::uint64_t made = 0; made < operations;) made += stream->next(1, accesses);
  std::vector<std::pair<std::uint64_t, Kind>> list;
  for (const auto& access : accesses) list.emplace_back(access.address, access.kind);
  return list;
}

}  // namespace

TEST_CASE("the simulated form stores to the same lines as the kernel") {
  Made made("read 128 a, write 128 a, write 64 b", "draw=zipf:0.8");
  const auto address = [](std::span<std::byte> bytes) { return reinterpret_cast<std::uintptr_t>(bytes.data()); };
  const std::vector<std::byte> a(made.target().begin(), made.target().end()),
      b(made.source().begin(), made.source().end());
  made.run(20);
  std::set<std::uint64_t> changed, stored;
  for (const auto& [bytes, before] : {std::pair{made.target(), &a}, {made.source(), &b}})
    for (std::uint64_t off = 0; off < before->size(); off += LINE)
      if (std::memcmp(bytes.data() + off, before->data() + off, LINE) != 0) changed.insert(address(bytes) + off);
  for (const auto& [at, kind] : told(made.group(), {address(made.target()), address(made.source())}, 20))
    if (kind == Kind::store) stored.insert(at);
  CHECK(changed == stored);
  CHECK(changed.size() > 20);
}

TEST_CASE("the simulated form has loads, stores, flushes and a fence in the order of the steps") {
  const auto plan =
      plan_of("target=sim:flat footprint=64KiB", "read 128 a, write 128 b clflushopt, write 64 a nt flush");
  const auto list = told(make_group(plan), {0, 0}, 1);
  std::vector<Kind> kinds;
  for (const auto& one : list) kinds.push_back(one.second);
  CHECK(kinds == std::vector<Kind>{Kind::load, Kind::load, Kind::store, Kind::store, Kind::clflushopt, Kind::clflushopt,
                                   Kind::mfence, Kind::store_nt, Kind::mfence});
  CHECK(list[1].first == list[0].first + LINE);
  CHECK(list[2].first >= 32U << 10U);  // b is behind a on one target
  CHECK(list[4].first == list[2].first);
}

TEST_CASE("a chain on emulated tiers is refused if they add a latency, and right if they limit bytes") {
  const auto prepare = [](const std::string& words) {
    auto plan = plan_of("footprint=256KiB " + words, "read 256 a, read 64 b");
    plan.cpus = {sys::allowed_cpus().front()};
    Bench bench;
    bench.prepare({plan});
    bench.measure(5e-3, 1e-4, {}, nullptr);
    CHECK(bench.check() == std::vector<double>{0});
  };
  CHECK(holds(error_of([&] { prepare("target=emu:latency=1us"); }), "does not slow one by one"));
  CHECK(holds(error_of([&] { prepare("target=node:0 source=emu:latency=1us"); }), "target emu:latency=1us"));
  prepare("target=emu:bandwidth=1GB/s source=node:0");
}
