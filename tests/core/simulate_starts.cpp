/// The events of a simulated core in their order, against a queue that sorts all of it.
#include "simulate/starts.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

using tierscope::simulate::NEVER;
using tierscope::simulate::Starts;
using tierscope::simulate::Time;

TEST_CASE("starts come by time, loads before buffers before stores, each in the order of the program") {
  std::mt19937 draw(1995);
  using Key = std::tuple<Time, int, std::uint64_t>;
  for (const unsigned most : {1U, 3U, 40U, 2000U}) {  // loads that wait at a time; stores, too, beyond 64
    Starts starts;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> sorted;
    bool released[2] = {false, false};
    std::uint64_t loads = 0, stores = 0;
    Time now = 0, last_store = 0;
    const auto soon = [&] { return now + static_cast<Time>(draw() % 8); };
    for (unsigned n = 0; n < 20'000; ++n) {
      if (const auto what = draw() % 8; sorted.size() < most && what < 4) {
        const Time at = soon();
        starts.add_load(at, loads);
        sorted.emplace(at, 0, loads++);
      } else if (sorted.size() < most && what < 6) {
        last_store = std::max(last_store, soon());
        starts.add_store(last_store);
        sorted.emplace(last_store, 3, stores++);
      } else if (const bool of_stores = draw() % 2 != 0; what == 6 && !released[of_stores]) {
        const Time at = soon();
        starts.add_release(at, of_stores);
        sorted.emplace(at, of_stores ? 1 : 2, 0);
        released[of_stores] = true;
      } else if (!sorted.empty()) {
        const auto [at, what_of_it, number] = sorted.top();
        sorted.pop();
        CHECK(starts.soonest() == at);
        const auto start = starts.take();
        CHECK(start.at == at);
        CHECK(static_cast<int>(start.what) == what_of_it);
        if (what_of_it == 0 || what_of_it == 3) CHECK(start.number == number);
        if (what_of_it == 1 || what_of_it == 2) released[what_of_it == 1] = false;
        now = std::max(now, at);
      }
      REQUIRE(starts.empty() == sorted.empty());
    }
  }
}

TEST_CASE("where nothing begins, the soonest start is never") {
  Starts starts;
  CHECK(starts.soonest() == NEVER);
  starts.add_store(5);
  starts.take();
  CHECK(starts.empty());
}
