/// Not recently used: what stays of a cycle that is longer than the ways, and what may never go.
#include <doctest/doctest.h>

#include "base/random.hpp"

#include "simulated_caches.hpp"

using namespace tierscope::tests;
using tierscope::random_word;

namespace {

/// Share of misses of a cycle through this number of lines of one set of 16 ways, once it is settled.
double missing(std::uint64_t lines) {
  const Made made(cache("L1", "1KiB", 16, 1, "policy = \"nru\""));
  constexpr std::uint64_t ROUNDS = 400;
  for (std::uint64_t i = 0; i < 2 * ROUNDS * lines; ++i) {
    if (i == ROUNDS * lines) made.caches->reset_counters();
    made.access(i % lines);
  }
  return static_cast<double>(made.count("L1.load_misses")) / static_cast<double>(ROUNDS * lines);
}

}  // namespace

TEST_CASE("nru keeps a part of a cycle that is a little longer than its ways") {
  CHECK(missing(16) == 0);
  CHECK(missing(17) == doctest::Approx(0.22).epsilon(0.15));
  CHECK(missing(20) == doctest::Approx(0.60).epsilon(0.1));
  CHECK(missing(40) > 0.99);
}

TEST_CASE("nru never replaces the line that was used last") {
  for (const int ways : {2, 3, 12, 64}) {
    const Made made(cache("L1", std::to_string(ways * 64), ways, 1, "policy = \"nru\""));
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto last = random_word(1, i) % 200;
      made.access(last, Kind::load, static_cast<Time>(i) * 1'000'000);
      made.access(random_word(2, i) % 200, Kind::load, static_cast<Time>(i) * 1'000'000 + 300'000);
      REQUIRE(made.access(last, Kind::load, static_cast<Time>(i) * 1'000'000 + 600'000) == 1000);
    }
  }
}

TEST_CASE("nru takes one way, and is refused with more than 64") {
  const Made made(cache("L1", "64", 1, 1, "policy = \"nru\""));
  made.access(0);
  made.access(1);
  CHECK(made.count("L1.load_misses") == 2);
  CHECK_THROWS_AS(Made(cache("L2", std::to_string(65 * 64), 65, 1, "policy = \"nru\"")), tierscope::BadPlan);
}
