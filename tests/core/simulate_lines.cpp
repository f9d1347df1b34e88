/// Lines of 128 and 256 bytes: what neighbours share, and what the memory is asked for.
#include "simulate/lines.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "base/random.hpp"
#include "says.hpp"
#include "simulate/machine.hpp"
#include "simulated_caches.hpp"

using namespace tierscope::tests;

namespace {

const std::string TWO = cache("L1", "1KiB", 2, 1) + cache("L2", "8KiB", 4, 10);
using Addresses = std::vector<std::uint64_t>;

Addresses parts_of(std::uint64_t line, std::uint64_t bytes) {
  Addresses parts;
  for (std::uint64_t part = 0; part < bytes; part += LINE) parts.push_back(line * bytes + part);
  return parts;
}

}  // namespace

TEST_CASE("a miss fetches the whole line in transfers of 64 bytes; its neighbours then hit") {
  for (const std::uint64_t line : {64U, 128U, 256U}) {
    const Made made(TWO, 1, line);
    const std::uint64_t parts = line / LINE;
    CHECK(made.access(5 * parts) == 10'000 + READ);
    CHECK(made.memory.reads == parts_of(5, line));
    for (std::uint64_t part = 0; part < parts; ++part)
      CHECK(made.access(5 * parts + part, Kind::load, 1'000'000) == 1000);
    CHECK(made.access(6 * parts, Kind::load, 2'000'000) == 10'000 + READ);
    CHECK(made.count("L1.load_misses") == 2);
  }
}

TEST_CASE("a cache has the number of lines that its size and the line's length give") {
  for (const std::uint64_t line : {64U, 128U, 256U}) {
    const Made made(cache("L1", "4KiB", static_cast<int>(4096 / line), 1), 1, line);
    for (std::uint64_t turn = 0; turn < 4; ++turn)
      for (std::uint64_t at = 0; at < 4096 / LINE; ++at)
        made.access(at, Kind::load, static_cast<Time>(turn * 64 + at) * 1'000'000);
    CHECK(made.count("L1.load_misses") == 4096 / line);
    CHECK(made.memory.reads.size() == 64);
  }
}

TEST_CASE("one dirty byte writes its whole line back, by a flush once") {
  const Made made(TWO, 1, 128);
  made.access(6, Kind::store);
  made.access(7, Kind::clwb, 1'000'000);
  CHECK(made.memory.writes == Addresses{6 * LINE, 7 * LINE});
  CHECK(made.access(6, Kind::clwb, 2'000'000) == 10'000);  // clean by then
  CHECK(made.memory.writes.size() == 2);
}

TEST_CASE("a non-temporal store writes 64 bytes, after the neighbours in a longer line") {
  const Made made(TWO, 1, 128);
  made.access(6, Kind::store);
  made.access(7, Kind::store_nt, 1'000'000);
  CHECK(made.memory.writes == Addresses{6 * LINE, 7 * LINE, 7 * LINE});
  made.access(9, Kind::store_nt, 2'000'000);
  CHECK(made.memory.writes.back() == 9 * LINE);
  CHECK(made.memory.writes.size() == 4);
}

TEST_CASE("prefetchers fetch longer lines and stay in the page") {
  for (const std::uint64_t line : {64U, 128U, 256U}) {
    const Made made(cache("L1", "4KiB", 2, 1, "prefetch = \"next-line\""), 1, line);
    const std::uint64_t parts = line / LINE, last = 64 - parts;  // in units of 64 bytes
    made.access(0);
    CHECK(made.memory.reads.size() == 2 * parts);
    CHECK(made.memory.reads.back() == 2 * line - LINE);
    made.access(last, Kind::load, 1'000'000);  // behind it is another page
    CHECK(made.memory.reads.size() == 3 * parts);
  }
}

TEST_CASE("lists of touches count the same as single accesses with longer lines") {
  const Made lists(TWO, 1, 128), single(TWO, 1, 128);
  std::vector<Touch> touches;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto at = tierscope::random_word(3, i) % 400 * LINE;
    touches.push_back(i % 3 == 0 ? store_of(at) : load_of(at));
  }
  lists.caches->touch(0, touches);
  for (const auto touch : touches)
    single.caches->access(0, touch & ADDRESS, (touch & STORE) != 0 ? Kind::store : Kind::load, 0);
  for (const auto* const name :
       {"L1.load_misses", "L1.store_misses", "L1.writebacks", "L2.load_misses", "L2.writebacks"})
    CHECK(lists.count(name) == single.count(name));
  CHECK(lists.count("L2.load_misses") > 100);
  CHECK(lists.memory.reads.size() == single.memory.reads.size());
}

TEST_CASE("a machine states its line, and refuses others") {
  CHECK(Machine("ddr5").line_bytes() == 64);
  CHECK(Machine("ddr5,cpu.line=128B").line_bytes() == 128);
  CHECK(holds(error_of([] { Machine("ddr5,cpu.line=96B"); }), "BadPlan: "));
  CHECK(holds(error_of([] { Machine("ddr5,cpu.line=96B"); }), "none of 64, 128 and 256"));
  CHECK(holds(error_of([] { Machine("flat,cpu.line=128B"); }), "there is no [[cache]]"));
}
