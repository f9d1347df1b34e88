/// Translation: the pages that are kept and the cost of a page walk, compared with a plain list.
#include "simulate/tlb.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <list>

#include "base/random.hpp"
#include "folder.hpp"
#include "says.hpp"

using namespace tierscope::simulate;
using tierscope::random_word;
using tierscope::tests::error_of;
using tierscope::tests::holds;

namespace {

constexpr Time READ = 100'000, WALK = 5000;
constexpr std::uint64_t PAGE = 4096;

struct Plain final : Memory {
  std::vector<std::uint64_t> reads;
  Time read(std::uint64_t address, Time at) override { return reads.push_back(address), at + READ; }
  Time write(std::uint64_t, Time at) override { return at; }
  void count(const std::string&, Counters&) const override {}
  void reset_counters() override {}
};

struct Made {
  Plain memory;
  std::unique_ptr<Caches> caches;
  std::unique_ptr<Tlbs> tlbs;
  explicit Made(const std::string& text, unsigned cpus = 1, const Translated& pages = {PAGE}, unsigned walkers = 0) {
    const tierscope::tests::Folder folder;
    folder.write("made.toml", text);
    const auto root = read_config(folder.at("made.toml"));
    caches = std::make_unique<Caches>(root.sections("cache"), cpus, 7, memory);
    tlbs = std::make_unique<Tlbs>(root.sections("tlb"), cpus, pages, WalkLimits{WALK, walkers}, *caches);
  }
  Time page(std::uint64_t number, Time at = 0, unsigned cpu = 0) const {
    return tlbs->translate(cpu, number * PAGE + 64, at) - at;
  }
  std::uint64_t count(const std::string& name) const {
    Counters counters;
    tlbs->count(counters);
    REQUIRE(counters.contains(name));
    return counters[name];
  }
};

std::string tlb(const std::string& name, unsigned entries, unsigned ways, int ns) {
  return "[[tlb]]\nname = \"" + name + "\"\nentries = " + std::to_string(entries) + "\nways = " + std::to_string(ways) +
         "\nlatency = \"" + std::to_string(ns) + "ns\"\n";
}

}  // namespace

TEST_CASE("a miss in all levels costs the page walk and one read of its entry; a hit costs the latency of its level") {
  const Made made(tlb("DTLB", 2, 0, 0) + tlb("STLB", 8, 4, 2));
  CHECK(made.page(0) == WALK + READ);
  CHECK(made.memory.reads == std::vector<std::uint64_t>{std::uint64_t{1} << 47U});
  CHECK(made.page(0, 1'000'000) == 0);
  made.page(2, 2'000'000);
  made.page(4, 3'000'000);
  CHECK(made.page(0, 4'000'000) == 2000);  // only the farther level has room for three
  CHECK(made.page(0, 5'000'000) == 0);
  CHECK(made.count("walks") == 3);
  CHECK(made.count("DTLB.misses") == 4);
  CHECK(made.count("STLB.hits") == 1);
}

TEST_CASE("entries of eight pages side by side share one line, which the caches keep") {
  const Made made(tlb("DTLB", 1, 0, 0) + "[[cache]]\nname = \"L1\"\nsize = \"4KiB\"\nways = 8\nlatency = \"1ns\"\n");
  CHECK(made.page(0) == WALK + 1000 + READ);
  CHECK(made.page(7, 1'000'000) == WALK + 1000);
  CHECK(made.page(8, 2'000'000) == WALK + 1000 + READ);
}

TEST_CASE("a page walk waits until one of the walkers of its CPU is free") {
  const Made made(tlb("DTLB", 16, 0, 0), 2, {PAGE}, 2);
  const Time one = made.page(0), two = made.page(1), three = made.page(2), four = made.page(3);
  CHECK(one == two);
  CHECK(three == 2 * one);
  CHECK(four == three);
  CHECK(made.page(4, 10 * one) == one);
  CHECK(made.page(0, 10 * one) == 0);  // a page that is translated needs no walker
  CHECK(made.tlbs->translate(1, 7 * PAGE, 0) == one);
}

TEST_CASE("an access waits for a page walk in flight, and does not begin another") {
  const Made made(tlb("DTLB", 4, 0, 0));
  CHECK(made.page(0, 0) == WALK + READ);
  CHECK(made.page(0, 5000) == READ);
  made.page(1, 6000);
  CHECK(made.page(0, 55'000) == 50'000);
  CHECK(made.page(0, 200'000) == 0);
  CHECK(made.count("walks") == 2);
}

TEST_CASE("the page tables of each memory are in that memory") {
  const Made made(tlb("DTLB", 4, 0, 0));
  const std::uint64_t second = std::uint64_t{1} << MEMORY_BIT;
  made.tlbs->translate(0, second + 11 * PAGE, 0);
  CHECK(made.memory.reads == std::vector<std::uint64_t>{second + (std::uint64_t{1} << 47U) + LINE});
}

TEST_CASE("levels that are for pages of another size are not there") {
  const Made made(tlb("DTLB", 2, 0, 0) + "pages = \"4KiB\"\n" + tlb("DTLB", 64, 0, 0) + "pages = \"2MiB\"\n" +
                  tlb("STLB", 4, 0, 2));
  for (std::uint64_t page = 0; page < 3; ++page) made.page(page, static_cast<Time>(page) * 1'000'000);
  CHECK(made.page(0, 9'000'000) == 2000);
  CHECK(made.count("DTLB.misses") == 4);
}

TEST_CASE("a level keeps the same pages as plain lists, for any number of sets and for one") {
  for (const auto& [entries, ways] :
       std::vector<std::pair<unsigned, unsigned>>{{1, 1}, {64, 4}, {48, 12}, {64, 0}, {1536, 12}, {100, 0}, {60, 20}}) {
    const Made made(tlb("DTLB", entries, ways, 0));
    const unsigned depth = ways == 0 ? entries : ways, sets = entries / depth;
    std::vector<std::list<std::uint64_t>> plain(sets);
    std::uint64_t misses = 0;
    for (std::uint64_t i = 0; i < 8000; ++i) {
      const auto page = random_word(entries, i) % (entries + entries / 2 + 1);
      auto& set = plain[page % sets];
      const auto at = std::ranges::find(set, page);
      const bool held = at != set.end();
      CAPTURE(i);
      REQUIRE((made.page(page, static_cast<Time>(i) * 1'000'000) == 0) == held);
      misses += !held;
      if (held) set.erase(at);
      set.push_front(page);
      if (set.size() > depth) set.pop_back();
    }
    CHECK(made.count("walks") == misses);
    CHECK(made.count("DTLB.hits") + made.count("DTLB.misses") == 8000);
  }
}

TEST_CASE("a page in parts has an entry for each part that is touched, and one as a whole has one") {
  constexpr std::uint64_t LARGE = 512 * PAGE;
  const auto walks_of = [](double split) {
    const Made made(tlb("DTLB", 1024, 0, 0), 1, {LARGE, PAGE, split, 7});
    std::vector<std::uint64_t> walks;
    for (std::uint64_t page = 0; page < 64; ++page) {
      const auto before = page == 0 ? 0 : made.count("walks");
      for (std::uint64_t part = 0; part < 8; ++part) made.tlbs->translate(0, page * LARGE + part * PAGE, 1);
      walks.push_back(made.count("walks") - before);
    }
    return walks;
  };
  CHECK(walks_of(0) == std::vector<std::uint64_t>(64, 1));
  CHECK(walks_of(1) == std::vector<std::uint64_t>(64, 8));
  const auto some = walks_of(0.25);
  CHECK(std::ranges::count(some, 1) + std::ranges::count(some, 8) == 64);
  CHECK(std::ranges::count(some, 8) > 6);
  CHECK(std::ranges::count(some, 8) < 28);
}

TEST_CASE("parts of pages are in page tables of their own, and machines that split others are not alike") {
  constexpr std::uint64_t LARGE = 512 * PAGE;
  const Made whole(tlb("DTLB", 4, 0, 0), 1, {LARGE, PAGE, 0, 7}), split(tlb("DTLB", 4, 0, 0), 1, {LARGE, PAGE, 1, 7});
  whole.tlbs->translate(0, LARGE + 8 * PAGE, 0);
  split.tlbs->translate(0, LARGE + 8 * PAGE, 0);
  CHECK(whole.memory.reads == std::vector<std::uint64_t>{std::uint64_t{1} << 47U});
  CHECK(split.memory.reads == std::vector<std::uint64_t>{(std::uint64_t{3} << 46U) + 520 * 8});
  CHECK_FALSE(whole.tlbs->like(*split.tlbs));
  const Made other(tlb("DTLB", 4, 0, 0), 1, {LARGE, PAGE, 1, 8});
  CHECK_FALSE(split.tlbs->like(*other.tlbs));
}

TEST_CASE("pages of the smallest size have no parts") {
  const Made made(tlb("DTLB", 4, 0, 0), 1, {PAGE, PAGE, 1, 7});
  made.page(3);
  CHECK(made.memory.reads == std::vector<std::uint64_t>{std::uint64_t{1} << 47U});
}

TEST_CASE("each CPU translates for itself") {
  const Made made(tlb("DTLB", 4, 0, 0), 2);
  made.page(0, 0, 0);
  CHECK(made.page(0, 1'000'000, 1) == WALK + READ);
}

TEST_CASE("a TLB that contradicts itself is refused with its key") {
  for (const auto& [text, key] :
       std::vector<std::pair<std::string, std::string>>{{tlb("DTLB", 64, 5, 0), "ways"},
                                                        {tlb("DTLB", 0, 0, 0), "entries"},
                                                        {tlb("DTLB", 1024, 512, 0), "ways"},
                                                        {tlb("DTLB", 64, 4, -1), "latency"},
                                                        {tlb("DTLB", 64, 4, 0) + tlb("DTLB", 64, 4, 0), "name"},
                                                        {tlb("DTLB", 4, 0, 0) + tlb("STLB", 2, 0, 0), "entries"},
                                                        {tlb("DTLB", 4, 0, 9) + tlb("STLB", 8, 0, 1), "latency"},
                                                        {tlb("DTLB", 4, 0, 9) + "pages = \"2MiB\"\n", "pages"}}) {
    const auto error = error_of([&words = text] { const Made made(words); });
    CAPTURE(error);
    CHECK(holds(error, "BadPlan"));
    CHECK(holds(error, key));
  }
}
