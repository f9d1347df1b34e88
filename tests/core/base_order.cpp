/// Random orders in closed form: a bijection, and one cycle through all.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "base/permutation.hpp"
#include "base/random.hpp"
#include "base/shuffle.hpp"
#include "bench/cycle.hpp"

using tierscope::Cycle;
using tierscope::Permutation;
using tierscope::Shuffle;

TEST_CASE("a permutation reaches every value once, and its inverse leads back") {
  for (const auto count :
       std::vector<std::uint64_t>{1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 255, 257, 1000, 4096, 4097, 65537})
    for (const auto seed : {0U, 1U, 1995U}) {
      const Permutation order(count, seed);
      std::vector<bool> seen(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = order.at(i);
        REQUIRE(value < count);
        REQUIRE_FALSE(seen[value]);
        seen[value] = true;
        REQUIRE(order.inverse(value) == i);
      }
    }
}

TEST_CASE("a permutation of many numbers is that of each") {
  for (const std::uint64_t count : {1U, 2U, 3U, 63U, 64U, 65U, 257U, 4097U}) {
    CAPTURE(count);
    const Permutation order(count, 1995);
    std::vector<std::uint64_t> one, all(count);
    for (std::uint64_t i = 0; i < count; ++i) one.push_back(order.at(i));
    std::iota(all.begin(), all.end(), 0);
    order.at(all);
    CHECK(all == one);
    order.inverse(all);
    std::iota(one.begin(), one.end(), 0);
    CHECK(all == one);
  }
}

TEST_CASE("the inverse of a permutation leads back for more values than fit in a table") {
  for (const auto count : {(std::uint64_t{1} << 40U) - 1, std::uint64_t{1} << 50U, (std::uint64_t{1} << 62U) + 1}) {
    const Permutation order(count, 1995);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const auto value = order.at(count / 1000 * i);
      REQUIRE(value < count);
      REQUIRE(order.inverse(value) == count / 1000 * i);
    }
  }
}

TEST_CASE("seeds give different orders, and no order is the plain one") {
  constexpr std::uint64_t COUNT = 4096;
  std::uint64_t same = 0, plain = 0, next = 0;
  const Permutation one(COUNT, 1), two(COUNT, 2);
  for (std::uint64_t i = 0; i < COUNT; ++i) {
    same += one.at(i) == two.at(i) ? 1 : 0;
    plain += one.at(i) == i ? 1 : 0;
    next += i > 0 && one.at(i) == one.at(i - 1) + 1 ? 1 : 0;
  }
  // each is 1 on average in a random order: 20 has a probability below 1e-18
  CHECK(same < 20);
  CHECK(plain < 20);
  CHECK(next < 20);
}

TEST_CASE("random reals are in [1, 2) and hardly repeat") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto bits = tierscope::random_real_bits(1995, i);
    const auto real = std::bit_cast<double>(bits);
    REQUIRE(real >= 1);
    REQUIRE(real < 2);
    seen.insert(bits);
  }
  CHECK(seen.size() == 10'000);
}

TEST_CASE("a cycle visits every node once before it returns to the first") {
  for (const auto nodes : std::vector<std::uint64_t>{1, 2, 3, 5, 64, 100, 1000, 4099})
    for (const auto window : std::vector<std::uint64_t>{0, 1, 2, 3, 64, 1000, 5000}) {
      const Cycle cycle(nodes, window, 1995);
      const auto whole = window == 0 || window > nodes ? nodes : window;
      REQUIRE(cycle.nodes() == nodes / whole * whole);
      std::vector<bool> seen(nodes);
      auto node = cycle.at(0);
      for (std::uint64_t step = 0; step < cycle.nodes(); ++step) {
        REQUIRE(node == cycle.at(step));
        REQUIRE_FALSE(seen[node]);
        seen[node] = true;
        node = cycle.successor(node);
      }
      REQUIRE(node == cycle.at(0));
    }
}

TEST_CASE("the nodes at many steps are those of each, from any step on") {
  for (const std::uint64_t window : {1U, 2U, 7U, 64U, 1000U})
    for (const bool in_order : {false, true}) {
      const Cycle cycle(3000, window, 1995, in_order);
      for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5}, cycle.nodes() - 300}) {
        std::vector<std::uint64_t> each, all(300);
        for (std::uint64_t step = first; step < first + all.size(); ++step) each.push_back(cycle.at(step));
        cycle.at(first, all);
        CHECK(all == each);
      }
    }
}

TEST_CASE("the successors of many nodes are those of each, from any node on") {
  for (const std::uint64_t nodes : {1U, 2U, 5U, 100U, 1000U})
    for (const std::uint64_t window : {0U, 1U, 3U, 64U, 300U})
      for (const bool in_order : {false, true}) {
        const Cycle cycle(nodes, window, 1995, in_order);
        for (const std::uint64_t first : {std::uint64_t{0}, cycle.nodes() / 3, cycle.nodes() - 1}) {
          CAPTURE(nodes);
          CAPTURE(window);
          CAPTURE(in_order);
          CAPTURE(first);
          std::vector<std::uint64_t> one, all(cycle.nodes() - first);
          for (auto node = first; node < cycle.nodes(); ++node) one.push_back(cycle.successor(node));
          cycle.successors(first, all);
          CHECK(all == one);
        }
      }
}

TEST_CASE("a window is walked to its last node before the next one starts") {
  constexpr std::uint64_t WINDOW = 64;
  const Cycle cycle(100 * WINDOW, WINDOW, 7);
  std::vector<std::uint64_t> windows;
  for (std::uint64_t step = 0; step < cycle.nodes(); step += WINDOW) {
    windows.push_back(cycle.at(step) / WINDOW);
    for (std::uint64_t i = 1; i < WINDOW; ++i) REQUIRE(cycle.at(step + i) / WINDOW == windows.back());
  }
  CHECK(std::set(windows.begin(), windows.end()).size() == 100);
}

TEST_CASE("windows with distant nodes share a block, and visit every node once") {
  for (const std::uint64_t nodes : {12U, 100U, 1000U, 4099U})
    for (const std::uint64_t window : {1U, 2U, 5U})
      for (const std::uint64_t spacing : {2U, 3U, 16U})
        for (const bool in_order : {false, true}) {
          const Cycle cycle(nodes, window, 1995, in_order, spacing);
          REQUIRE(cycle.nodes() == nodes / (window * spacing) * window * spacing);
          if (cycle.nodes() == 0) continue;
          std::vector<bool> seen(nodes);
          std::vector<std::uint64_t> all(cycle.nodes()), next(cycle.nodes());
          cycle.at(0, all);
          cycle.successors(0, next);
          for (std::uint64_t step = 0; step < cycle.nodes(); ++step) {
            const auto node = all[step];
            REQUIRE(node == cycle.at(step));
            REQUIRE_FALSE(seen[node]);
            seen[node] = true;
            REQUIRE(next[node] == all[(step + 1) % all.size()]);
            if (step % window > 0) {
              const auto before = all[step - 1];
              REQUIRE(std::max(node, before) - std::min(node, before) < window * spacing);
              REQUIRE(node % spacing == before % spacing);
            }
          }
        }
}

TEST_CASE("windows of a block are passes over the same places in the same order, one node further each") {
  constexpr std::uint64_t WINDOW = 5, SPACING = 16;
  const Cycle cycle(10 * WINDOW * SPACING, WINDOW, 7, true, SPACING);
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t block = 0; block < 10; ++block) {
    std::vector<std::uint64_t> first;
    for (std::uint64_t step = 0; step < WINDOW; ++step) first.push_back(cycle.at(block * WINDOW * SPACING + step));
    for (std::uint64_t step = 0; step < WINDOW * SPACING; ++step)
      REQUIRE(cycle.at(block * WINDOW * SPACING + step) == first[step % WINDOW] + step / WINDOW);
    for (auto& node : first) node = node / SPACING % WINDOW;
    orders.insert(first);
  }
  CHECK(orders.size() > 5);
}

TEST_CASE("a shuffle visits every number below its count once, and in another order for another seed") {
  for (const std::uint64_t count : {1U, 2U, 3U, 5U, 64U, 100U, 384U, 1025U}) {
    CAPTURE(count);
    const Shuffle shuffle(count, 1995);
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < count; ++i) found.push_back(shuffle.at(i));
    std::vector<std::uint64_t> together(count);
    for (std::uint64_t i = 0; i < count; i += Shuffle::MOST)
      shuffle.at(i, std::span(together).subspan(i, std::min<std::uint64_t>(Shuffle::MOST, count - i)));
    CHECK(together == found);
    auto sorted = found;
    std::ranges::sort(sorted);
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    CHECK(sorted == all);
    if (count < 64) continue;
    CHECK(found != sorted);
    CHECK(Shuffle(count, 1996).at(0) + Shuffle(count, 1996).at(1) * count != found[0] + found[1] * count);
  }
}
