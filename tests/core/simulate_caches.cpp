/// The hierarchy of caches: its rules, by hand.
#include "simulate/caches.hpp"

#include <doctest/doctest.h>

#include <array>

#include "base/random.hpp"
#include "says.hpp"
#include "simulated_caches.hpp"

using namespace tierscope::tests;
using tierscope::random_word;

namespace {

const std::string TWO = cache("L1", "512B", 2, 1) + cache("L2", "4KiB", 4, 10);  // 4 sets of 2; 16 sets of 4
const std::string SHARED = cache("L1", "512B", 2, 1) + cache("L2", "4KiB", 4, 10, "shared = 2");

}  // namespace

TEST_CASE("a miss costs the look-up in the last level and the memory; a hit the latency of its level") {
  const Made made(TWO);
  CHECK(made.access(0) == 10'000 + READ);
  CHECK(made.access(0, Kind::load, 1'000'000) == 1000);
  made.access(4, Kind::load, 2'000'000);
  made.access(8, Kind::load, 3'000'000);  // the third line of a set of two
  CHECK(made.access(0, Kind::load, 4'000'000) == 10'000);
}

TEST_CASE("who asks for a line on its way waits until it is there, and no longer") {
  const Made made(TWO);
  CHECK(made.access(0, Kind::load, 0) == 110'000);
  CHECK(made.access(0, Kind::load, 50'000) == 60'000);
  CHECK(made.access(0, Kind::store, 109'500) == 1000);
  CHECK(made.access(0, Kind::load, 200'000) == 1000);
  CHECK(made.memory.reads.size() == 1);
}

TEST_CASE("a cycle one line longer than a cache of least recent use always misses; one that fits never") {
  for (const std::uint64_t lines : {64U, 65U}) {
    const Made made(cache("L1", "4KiB", 64, 1));
    for (std::uint64_t i = 0; i < 10 * lines; ++i) made.access(i % lines, Kind::load, static_cast<Time>(i) * 1'000'000);
    CHECK(made.count("L1.load_misses") == (lines == 64 ? lines : 10 * lines));
  }
}

TEST_CASE("an inclusive level evicts its victims from the nearer levels, with their dirty data") {
  const std::string one = cache("L1", "512B", 8, 1);  // one set; of the next level, even lines meet in one of two
  const Made made(one + cache("L2", "512B", 4, 10, "inclusive = true"));
  made.access(0, Kind::store);
  for (std::uint64_t n = 1; n < 5; ++n) made.access(2 * n, Kind::load, 1'000'000 * static_cast<Time>(n));
  CHECK(made.memory.writes == std::vector<std::uint64_t>{0});
  CHECK(made.count("L1.invalidations") == 1);
  CHECK(made.access(0, Kind::load, 9'000'000) == 10'000 + READ);
  const Made free(one + cache("L2", "512B", 4, 10));
  for (std::uint64_t n = 0; n < 5; ++n) free.access(2 * n, Kind::load, 1'000'000 * static_cast<Time>(n));
  CHECK(free.access(0, Kind::load, 9'000'000) == 1000);
}

TEST_CASE("a non-temporal store drops the line and goes to memory") {
  const Made made(TWO);
  made.access(3, Kind::store);
  CHECK(made.access(3, Kind::store_nt, 1'000'000) == WRITE);
  CHECK(made.memory.writes == std::vector<std::uint64_t>{3 * LINE});
  CHECK(made.access(3, Kind::load, 2'000'000) == 10'000 + READ);
}

TEST_CASE("clwb writes a dirty line once and keeps it; clflush drops it; a clean line costs the look-up") {
  const Made made(TWO);
  made.access(3, Kind::store);
  CHECK(made.access(3, Kind::clwb, 1'000'000) == 10'000 + WRITE);
  CHECK(made.access(3, Kind::clwb, 2'000'000) == 10'000);
  CHECK(made.access(3, Kind::load, 3'000'000) == 1000);
  made.access(3, Kind::store, 4'000'000);
  CHECK(made.access(3, Kind::clflushopt, 5'000'000) == 10'000 + WRITE);
  CHECK(made.access(3, Kind::clflush, 6'000'000) == 10'000);
  CHECK(made.access(3, Kind::load, 7'000'000) == 10'000 + READ);
  CHECK(made.count("L1.flushes") == 2);
  CHECK(made.memory.writes.size() == 2);
}

TEST_CASE("a prefetch fetches its line and returns the time of arrival") {
  const Made made(TWO);
  CHECK(made.access(9, Kind::prefetch, 0) == 110'000);
  CHECK(made.access(9, Kind::load, 10'000) == 100'000);
  CHECK(made.count("L1.prefetches") == 1);
  CHECK(made.count("L1.prefetch_uses") == 1);
  CHECK(made.count("L1.load_misses") == 0);
}

TEST_CASE("next-line fetches one line on a miss, and stays in its page") {
  const Made made(cache("L1", "8KiB", 8, 1, "prefetch = \"next-line\""));
  made.access(0);
  CHECK(made.memory.reads == std::vector<std::uint64_t>{0, LINE});
  CHECK(made.access(1, Kind::load, 1'000'000) == 1000);
  made.access(63, Kind::load, 2'000'000);
  CHECK(made.memory.reads.size() == 3);
}

TEST_CASE("a pair of lines is fetched whole on a miss, with any other prefetcher or none") {
  const Made alone(cache("L1", "8KiB", 8, 1, "pair = true"));
  alone.access(5);
  CHECK(alone.memory.reads == std::vector<std::uint64_t>{5 * LINE, 4 * LINE});
  CHECK(alone.access(4, Kind::load, 1'000'000) == 1000);
  CHECK(alone.memory.reads.size() == 2);  // the first use of a prefetched line does not miss
  const Made both(cache("L1", "8KiB", 8, 1, "prefetch = \"stride\"\ndepth = 2\npair = true"));
  for (const std::uint64_t line : {0U, 2U, 4U}) both.access(line, Kind::load, 1'000'000);
  CHECK(both.memory.reads ==
        std::vector<std::uint64_t>{0, LINE, 2 * LINE, 3 * LINE, 4 * LINE, 5 * LINE, 6 * LINE, 8 * LINE});
}

TEST_CASE("the stride prefetcher runs `depth` strides ahead after two equal ones, both ways") {
  const Made made(cache("L1", "8KiB", 8, 1, "prefetch = \"stride\"\ndepth = 3"));
  for (const std::uint64_t line : {0U, 2U}) made.access(line, Kind::load, 1'000'000);
  CHECK(made.memory.reads.size() == 2);
  made.access(4, Kind::load, 2'000'000);
  CHECK(made.memory.reads == std::vector<std::uint64_t>{0, 2 * LINE, 4 * LINE, 6 * LINE, 8 * LINE, 10 * LINE});
  CHECK(made.access(6, Kind::load, 9'000'000) == 1000);  // its first use moves the front by one
  CHECK(made.memory.reads.back() == 12 * LINE);
  const Made down(cache("L1", "8KiB", 8, 1, "prefetch = \"stride\"\ndepth = 2"));
  for (const std::uint64_t line : {5U, 4U, 3U}) down.access(line, Kind::load, 1'000'000);
  CHECK(down.memory.reads == std::vector<std::uint64_t>{5 * LINE, 4 * LINE, 3 * LINE, 2 * LINE, LINE});
}

TEST_CASE("a stream with a prefetcher misses three times in a page, without one always") {
  for (const std::string word : {"none", "stride"}) {
    const Made made(cache("L1", "8KiB", 8, 1, "prefetch = \"" + word + "\""));
    for (std::uint64_t line = 0; line < 64; ++line) made.access(line, Kind::load, static_cast<Time>(line) * 1'000'000);
    CHECK(made.count("L1.load_misses") == (word == "none" ? 64 : 3));
    CHECK(made.memory.reads.size() == 64);
    CHECK(made.count("L1.prefetches") == made.count("L1.prefetch_uses"));
  }
}

TEST_CASE("a line that another CPU wrote is copied from its cache, once") {
  const Made made(SHARED, 2);
  made.access(0, Kind::store, 0, 0);
  CHECK(made.access(0, Kind::load, 1'000'000, 1) == 10'000 + 1000);  // the shared level's latency and that of L1
  CHECK(made.count("L1.transfers") == 1);
  CHECK(made.access(0, Kind::load, 2'000'000, 0) == 1000);  // the writer keeps a clean copy
  CHECK(made.memory.reads.size() == 1);
  CHECK(made.memory.writes.empty());
  CHECK(made.access(0, Kind::clwb, 3'000'000, 1) == 10'000 + WRITE);  // what it wrote is in the shared level
}

TEST_CASE("a store takes all copies away; a second one costs nothing") {
  const Made made(SHARED, 2);
  made.access(0, Kind::load, 0, 0);
  made.access(0, Kind::load, 1'000'000, 1);
  CHECK(made.access(0, Kind::store, 2'000'000, 1) == 10'000);
  CHECK(made.count("L1.invalidations") == 1);
  CHECK(made.access(0, Kind::store, 3'000'000, 1) == 1000);
  CHECK(made.access(0, Kind::store, 4'000'000, 0) == 10'000 + 1000);  // back, dirty
  CHECK(made.access(0, Kind::load, 5'000'000, 0) == 1000);
}

TEST_CASE("a dirty line also goes to memory between caches that share no level") {
  const Made made(TWO, 2);
  made.access(0, Kind::store, 0, 0);
  CHECK(made.access(0, Kind::load, 1'000'000, 1) == 10'000 + 1000);
  CHECK(made.memory.reads.size() == 1);
  CHECK(made.memory.writes == std::vector<std::uint64_t>{0});
}

TEST_CASE("no store is lost, and no line that clwb wrote is written again, for any sharing") {
  for (const std::string inclusive : {"false", "true"}) {
    const Made made(cache("L1", "512B", 2, 1) + cache("L2", "1KiB", 2, 5, "shared = 2") +
                        cache("L3", "8KiB", 8, 10, "shared = 4\ninclusive = " + inclusive),
                    4);
    // of a line: a store since the last clwb; a store since the memory last got it. A farther level may write an older
    // state of a line that a nearer one has written again, so the first may be true without the second.
    std::map<std::uint64_t, bool> stored, newer;
    std::size_t written = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto line = random_word(5, i) % 300;
      const Kind kind = std::array{Kind::load, Kind::load, Kind::store, Kind::clwb}[random_word(6, i) % 4];
      made.access(line, kind, static_cast<Time>(i) * 1'000'000, static_cast<unsigned>(random_word(8, i) % 4));
      CAPTURE(i);
      if (kind == Kind::store) stored[line] = newer[line] = true;
      for (; written < made.memory.writes.size(); ++written) {
        const auto gone = made.memory.writes[written] / LINE;
        REQUIRE(stored[gone]);
        newer[gone] = false;
      }
      if (kind != Kind::clwb) continue;
      REQUIRE_FALSE(newer[line]);
      stored[line] = false;
    }
  }
}

TEST_CASE("without caches each access reaches the memory") {
  const Made made("seed = 1\n");
  CHECK(made.access(5) == READ);
  CHECK(made.access(5, Kind::store) == WRITE);
  CHECK(made.access(5, Kind::clwb) == 0);
  CHECK(made.memory.reads.size() == 1);
}

TEST_CASE("the same seed repeats a run, line by line") {
  std::vector<std::vector<std::uint64_t>> runs;
  for (int run = 0; run < 2; ++run) {
    const Made made(cache("L1", "2KiB", 4, 1, "policy = \"random\""));
    for (std::uint64_t i = 0; i < 3000; ++i) made.access(random_word(9, i) % 64, Kind::load);
    runs.push_back(made.memory.reads);
  }
  CHECK(runs[0] == runs[1]);
}

TEST_CASE("a level that contradicts itself is refused with its key") {
  const auto said = [](const std::string& text, unsigned cpus = 4) {
    return error_of([&] { const Made made(text, cpus); });
  };
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {cache("L1", "32KiB", 7, 1), "ways"},
           {cache("L1", "0KiB", 8, 1), "size"},
           {cache("L1", "24KiB", 12, 1, "policy = \"tree-plru\""), "policy"},
           {cache("L1", "24KiB", 12, 1, "policy = \"fifo\""), "policy"},
           {cache("L1", "32KiB", 8, 1, "shared = 3"), "shared"},
           {cache("L1", "32KiB", 8, 1, "shared = 2") + cache("L2", "64KiB", 8, 1), "shared"},
           {cache("L1", "32KiB", 8, 5) + cache("L2", "64KiB", 8, 1), "latency"},
           {cache("L1", "32KiB", 8, -1), "latency"},
           {cache("L1", "32KiB", 8, 1, "prefetch = \"magic\""), "prefetch"},
           {cache("L1", "32KiB", 8, 1, "depth = 64"), "depth"},
           {cache("L1", "32KiB", 8, 1) + cache("L1", "64KiB", 8, 2), "name"}}) {
    const auto error = said(text);
    CAPTURE(error);
    CHECK(holds(error, "BadPlan"));
    CHECK(holds(error, key));
    CHECK(holds(error, "made.toml"));
  }
}
