/// The last cache loses lines to others, some time after their last use.
#include <doctest/doctest.h>

#include "simulated_caches.hpp"

using namespace tierscope::tests;
using tierscope::BadPlan;

namespace {

constexpr Time US = 1'000'000;  // ticks
constexpr Time NEAR = 1'000, LAST = 10'000;

/// One line in the nearest cache, which the next line replaces, and a last cache that keeps lines for 100 us.
std::string two(const std::string& more = "keep = \"100us\"") {
  return cache("L1d", "64B", 1, 1) + cache("L2", "64KiB", 16, 10, more);
}

}  // namespace

TEST_CASE("a line is there until its time is over, from its last use on") {
  const Made made(two());
  CHECK(made.access(1, Kind::load, 0) == LAST + READ);
  made.access(2, Kind::load, US);  // takes the nearest cache
  CHECK(made.access(1, Kind::load, 90 * US) == LAST);
  made.access(2, Kind::load, 91 * US);
  CHECK(made.access(1, Kind::load, 180 * US) == LAST);
  made.access(2, Kind::load, 181 * US);
  CHECK(made.access(1, Kind::load, 300 * US) == LAST + READ);
  made.access(2, Kind::load, 301 * US);
  CHECK(made.access(1, Kind::load, 310 * US) == LAST);  // it came back
  CHECK(made.count("L2.load_misses") == 3);             // 1, 2, and 1 after 100 us
}

TEST_CASE("without others, nothing is lost") {
  const Made made(two(""));
  made.access(1, Kind::load, 0);
  made.access(2, Kind::load, US);
  CHECK(made.access(1, Kind::load, 1'000'000 * US) == LAST);
}

TEST_CASE("a line that the nearest cache has is in use until it leaves") {
  const Made made(two());
  made.access(1, Kind::load, 0);
  CHECK(made.access(1, Kind::load, 300 * US) == NEAR);
  made.access(2, Kind::load, 301 * US);
  CHECK(made.access(1, Kind::load, 390 * US) == LAST);
}

TEST_CASE("a line that a dirty one replaces was in use until then") {
  const Made made(cache("L1d", "128B", 2, 1) + cache("L2", "64B", 1, 5) +
                  cache("L3", "64KiB", 16, 10, "keep = \"100us\""));
  made.access(1, Kind::store, 0);
  made.access(2, Kind::load, US);
  CHECK(made.access(2, Kind::load, 95 * US) == NEAR);
  made.access(3, Kind::load, 96 * US);  // L1d loses 1 to L2, which loses 2
  made.access(4, Kind::load, 97 * US);  // L1d loses 2
  CHECK(made.access(2, Kind::load, 150 * US) == LAST);
}

TEST_CASE("a dirty line that others take is written once") {
  const Made made(two());
  made.access(1, Kind::store, 0);
  made.access(2, Kind::load, US);
  CHECK(made.memory.writes.empty());
  made.access(1, Kind::load, 300 * US);
  CHECK(made.memory.writes == std::vector<std::uint64_t>{1 * LINE});
  made.access(2, Kind::load, 301 * US);
  made.access(1, Kind::load, 600 * US);
  CHECK(made.memory.writes.size() == 1);
}

TEST_CASE("a full set still loses its oldest line, however young it is") {
  const Made made(cache("L1d", "64B", 1, 1) + cache("L2", "128B", 2, 10, "keep = \"100us\""));
  for (const std::uint64_t line : {1U, 2U, 3U}) made.access(line, Kind::load, line);
  CHECK(made.access(1, Kind::load, US) == LAST + READ);
}

TEST_CASE("after run_to, instructions are the time, and a copy has the ages of the other one") {
  const Made made(two()), other(two());
  made.caches->run_to(0, 0);
  made.access(1);
  made.access(2);
  made.caches->run_to(90'000, 0);
  CHECK(made.access(1, Kind::load, US) == LAST);
  made.access(2, Kind::load, US);
  REQUIRE(other.caches->like(*made.caches));
  other.caches->copy(0, *made.caches);
  made.caches->run_to(250'000, 150'000);
  CHECK(made.access(1, Kind::load, 2 * US) == LAST + READ);
  other.caches->run_to(250'000, 50'000);  // a machine that is twice as fast
  CHECK(other.access(1, Kind::load, 2 * US) == LAST);
  CHECK_FALSE(Made(two("")).caches->like(*made.caches));
}

TEST_CASE("a use that was dated too late is corrected by the next one") {
  const Made made(two());
  made.caches->run_to(1'000'000, 0);
  made.access(1);
  made.access(2);
  made.caches->run_to(90'000, 0);  // the gap was shorter
  made.access(1, Kind::load, US);
  made.access(2, Kind::load, US);
  made.caches->run_to(400'000, 200'000);
  CHECK(made.access(1, Kind::load, 2 * US) == LAST + READ);
}

TEST_CASE("a lost line stays in the nearer caches of an inclusive one") {
  const Made made(cache("L1d", "64B", 1, 1) + cache("L2", "64KiB", 16, 10, "inclusive = true\nkeep = \"100us\""));
  made.access(1, Kind::store, 0);
  made.access(2, Kind::load, US);
  CHECK(made.access(1, Kind::load, 300 * US) == LAST + READ);
  CHECK(made.memory.writes.size() == 1);
  CHECK(made.access(1, Kind::load, 301 * US) == NEAR);
}

TEST_CASE("only the last of several caches can lose lines to others") {
  CHECK_THROWS_WITH_AS(Made(cache("L1d", "64B", 1, 1, "keep = \"1ms\"")), doctest::Contains("needs a cache before"),
                       BadPlan);
  CHECK_THROWS_WITH_AS(
      Made(cache("L1d", "64B", 1, 1) + cache("L2", "128B", 2, 2, "keep = \"1ms\"") + cache("L3", "256B", 2, 3)),
      doctest::Contains("only the last cache"), BadPlan);
}
