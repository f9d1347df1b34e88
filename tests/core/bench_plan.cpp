/// Words of a plan: every key, every unit, every error.
#include "bench/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <typeinfo>

#include "bench/task.hpp"
#include "bench/tasks/hop.hpp"
#include "bench/tasks/key.hpp"
#include "bench/tasks/line.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  read_words(parse_line("group " + words).words, plan);
  return plan;
}

}  // namespace

TEST_CASE("a line is a command and its arguments") {
  const auto line = parse_line("  group\tkernel=triad  cpus=0-3 \r");
  CHECK(line.command == "group");
  CHECK(line.words == std::map<std::string, std::string>{{"cpus", "0-3"}, {"kernel", "triad"}});
  CHECK(parse_line("set target=file:/a=b").words.at("target") == "file:/a=b");
  CHECK(parse_line("set isa=").words.at("isa").empty());
}

TEST_CASE("a blank line or a comment has no command") {
  for (const auto* text : {"", " ", "\t\r", "#", "# group kernel=triad", "  # x"})
    CHECK(parse_line(text).command.empty());
}

TEST_CASE("a comment starts before an argument, not within one") {
  CHECK(parse_line("prepare # now").words.empty());
  CHECK(parse_line("prepare\t#now=1").words.empty());
  CHECK(parse_line("group target=file:/tmp/a#1 # x").words.at("target") == "file:/tmp/a#1");
}

TEST_CASE("an argument without a key, or a key twice, is refused") {
  CHECK(error_of([] { parse_line("group triad"); }) == "BadPlan: 'triad' is not of the form key=value in: group triad");
  CHECK(holds(error_of([] { parse_line("group =triad"); }), "BadPlan: '=triad' is not of the form"));
  CHECK(error_of([] { parse_line("group a=1 a=2"); }) == "BadPlan: key 'a' twice in: group a=1 a=2");
}

TEST_CASE("bytes have binary and decimal units") {
  CHECK(parse_bytes("x", "0") == 0);
  CHECK(parse_bytes("x", "64") == 64);
  CHECK(parse_bytes("x", "64B") == 64);
  CHECK(parse_bytes("x", "3KiB") == 3072);
  CHECK(parse_bytes("x", "1.5MiB") == 3 << 19U);
  CHECK(parse_bytes("x", "2GiB") == std::uint64_t{2} << 30U);
  CHECK(parse_bytes("x", "2TiB") == std::uint64_t{2} << 40U);
  CHECK(parse_bytes("x", "3KB") == 3000);
  CHECK(parse_bytes("x", "3MB") == 3'000'000);
  CHECK(parse_bytes("x", "3GB") == 3'000'000'000);
  CHECK(parse_bytes("x", "3TB") == 3'000'000'000'000);
  CHECK(parse_bytes("x", "65536TiB") == std::uint64_t{1} << 56U);
}

TEST_CASE("a value that is not a size is refused by its key") {
  for (const std::string word :
       {"", "B", "x", "-1", "inf", "nan", "1e999", "1.5", "0.3KiB", "65537TiB", "0x10", "1 "}) {
    CAPTURE(word);
    CHECK(holds(error_of([&] { parse_bytes("skew", word); }), "skew=" + word));
  }
  CHECK(error_of([] { parse_bytes("skew", "1KIB"); }) ==
        "BadPlan: unknown unit 'KIB' in skew=1KIB (known: B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)");
}

TEST_CASE("times have units, too") {
  CHECK(parse_seconds("x", "2") == 2);
  CHECK(parse_seconds("x", "0.5s") == 0.5);
  CHECK(parse_seconds("x", "5ms") == doctest::Approx(5e-3));
  CHECK(parse_seconds("x", "5us") == doctest::Approx(5e-6));
  CHECK(parse_seconds("x", "5ns") == doctest::Approx(5e-9));
  CHECK(holds(error_of([] { parse_seconds("block", "1min"); }),
              "unknown unit 'min' in block=1min (known: s, ms, us, ns)"));
}

TEST_CASE("counts are whole numbers") {
  CHECK(parse_count("x", "0") == 0);
  CHECK(parse_count("x", "4611686018427387904") == std::uint64_t{1} << 62U);
  for (const std::string word : {"", "-1", "1.0", "1e3", "x", "1 ", "4611686018427387905", "99999999999999999999"}) {
    CAPTURE(word);
    CHECK(error_of([&] { parse_count("seed", word); }) == "BadPlan: seed=" + word + " is not a whole number");
  }
}

TEST_CASE("every key of a group sets its field") {
  const auto plan = plan_of(
      "kernel=triad isa=avx2 target=file:/mnt/x pages=4k cpus=0-1,4 footprint=1GiB streams=4 unroll=2 prefetch=512B "
      "prefetchw=1KiB interleave=4KiB pace=100 burst=2KiB skew=64 seed=7 per_block=3");
  CHECK(plan.kernel == "triad");
  CHECK(plan.isa == "avx2");
  CHECK(plan.target == "file");
  CHECK(plan.where == "/mnt/x");
  CHECK(plan.pages == "4k");
  CHECK(plan.cpus == std::vector<unsigned>{0, 1, 4});
  CHECK(plan.pace == 100);
  CHECK(plan.burst == 2048);
  CHECK(plan.seed == 7);
  CHECK(plan.per_block == 3);
  const auto& lines = plan.of<Lines>();
  CHECK(lines.footprint == std::uint64_t{1} << 30U);
  CHECK(lines.streams == 4);
  CHECK(lines.unroll == 2);
  CHECK(lines.prefetch == 512);
  CHECK(lines.prefetch_write == 1024);
  CHECK(lines.interleave == 4096);
  CHECK(lines.skew == 64);
}

TEST_CASE("a plan accepts the keys of its kernel's task") {
  const auto chase = plan_of("kernel=chase footprint=1MiB element=128 locality=8KiB order=sequential streams=1");
  CHECK(chase.task->name == "hop");
  CHECK(chase.of<Hops>().element == 128);
  CHECK(chase.of<Hops>().locality == 8192);
  CHECK(chase.of<Hops>().order == kernels::Order::sequential);
  CHECK_THROWS_AS(static_cast<void>(chase.of<Lines>()), std::bad_cast);
  require_known(chase);  // streams=1 asks for nothing
  const auto keys = plan_of("kernel=map count=100 value=32 keys=zipf operation=insert sharing=one");
  CHECK(keys.of<Keys>().count == 100);
  CHECK(keys.of<Keys>().value == 32);
  CHECK(keys.of<Keys>().drawn == "zipf");
  CHECK(keys.of<Keys>().operation == "insert");
  CHECK(keys.of<Keys>().sharing == "one");
}

TEST_CASE("a key of another task is named, with those that the kernel takes") {
  CHECK(error_of([] { require_known(plan_of("kernel=handover element=128 footprint=64B")); }) ==
        "BadPlan: kernel handover does not take element=128; of the keys that depend on the kernel it takes footprint");
  CHECK(holds(error_of([] { require_known(plan_of("kernel=noop count=1")); }), "it takes none"));
  CHECK(holds(error_of([] { plan_of("kernel=noop element=x"); }), "element=x"));
  CHECK(holds(error_of([] { require_known(plan_of("kernel=none footprint=1")); }), "unknown kernel 'none'"));
}

TEST_CASE("another kernel keeps the keys that its task also has") {
  auto plan = plan_of("kernel=flush_clwb footprint=1MiB element=256 fence=line skew=64");
  read_words({{"kernel", "chase"}}, plan);
  CHECK(plan.of<Hops>().footprint == 1U << 20U);
  CHECK(plan.of<Hops>().element == 256);
  require_known(plan);
  CHECK(words_of(plan) == "element=256 footprint=1048576 kernel=chase");
  auto copy = plan;
  read_words({{"element", "512"}}, copy);
  CHECK(plan.of<Hops>().element == 256);
}

TEST_CASE("a target is a name and the text behind the first colon") {
  CHECK(plan_of("target=null").target == "null");
  CHECK(plan_of("target=null").where.empty());
  CHECK(plan_of("target=file:a:b").where == "a:b");
}

TEST_CASE("a key that is not of a group is refused with those that are") {
  CHECK(error_of([] { plan_of("kern=triad"); }) ==
        "BadPlan: unknown key 'kern' (known: access, ahead, apart, beside, burst, chain, chains, command, count, "
        "cpus, down, draw, element, fence, filler, fillers, footprint, interleave, isa, jumps, kernel, keys, limit, "
        "locality, "
        "memory, operation, order, pace, pages, parity, partition, per_block, prefetch, prefetchw, random, row, seed, "
        "shared, "
        "sharing, size, skew, source, spacing, straight, streams, stride, target, train, unroll, value, windows)");
}

TEST_CASE("a number that does not fit is refused, not cut") {
  CHECK(error_of([] { plan_of("streams=4294967297"); }) == "BadPlan: streams=4294967297 is too large");
  CHECK(error_of([] { plan_of("unroll=4294967296"); }) == "BadPlan: unroll=4294967296 is too large");
}

namespace {

/// The keys that a refusal lists.
std::vector<std::string> known_keys() {
  auto text = error_of([] { plan_of("no-such-key=1"); });
  text = text.substr(text.find("known: ") + 7);
  std::vector<std::string> keys(1);
  for (const char letter : text)
    if (letter == ',')
      keys.emplace_back();
    else if (letter != ' ' && letter != ')')
      keys.back() += letter;
  return keys;
}

}  // namespace

TEST_CASE("every key of a group that is not at its default is written") {
  CHECK(words_of(GroupPlan{}).empty());
  CHECK(known_keys().size() > 25);
  for (const auto& key : known_keys()) {
    CAPTURE(key);
    std::vector<std::string> texts;
    for (const std::string word : {"1", "3", "0-1,4", "never", "line", "once", "random", "2s", "sim:flat", "a%20b",
                                   "nop", "odd", "zipf:1.5", "shared", "read%20128%20b"}) {
      GroupPlan plan;
      if (error_of([&] { read_words({{key, word}}, plan); }).empty() && !words_of(plan).empty())
        texts.push_back(words_of(plan));
    }
    std::ranges::sort(texts);
    CHECK_FALSE(texts.empty());
    CHECK(std::ranges::adjacent_find(texts) == texts.end());
    for (const auto& text : texts) {
      CHECK(text.starts_with(key + "="));
      CHECK(words_of(plan_of(text)) == text);
    }
  }
}

TEST_CASE("the written plan does not depend on how it was typed") {
  CHECK(words_of(plan_of("footprint=1GiB kernel=read cpus=0-2 burst=2KiB")) ==
        words_of(plan_of("kernel=read burst=2048 footprint=1024MiB cpus=0,1,2 streams=1")));
  CHECK(words_of(plan_of("kernel=command limit=1500ms")) == words_of(plan_of("limit=1.5s kernel=command")));
  CHECK(words_of(plan_of("kernel=read cpus=0-1")) == "cpus=0,1 kernel=read");
}
