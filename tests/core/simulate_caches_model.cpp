/// Caches on random traces against plain models of lists and trees, and against what is known of them in closed form.
#include <doctest/doctest.h>

#include <algorithm>
#include <list>

#include "base/random.hpp"
#include "simulate/cache.hpp"
#include "simulated_caches.hpp"

using namespace tierscope::tests;
using tierscope::random_word;

namespace {

/// One set as the text books have it.
struct PlainSet {
  Policy policy;
  std::vector<std::uint64_t> ways;  // by place; 0: empty
  std::list<unsigned> order;        // the last used first
  std::vector<bool> tree;           // of node n: whether the right half was used longer ago

  PlainSet(Policy p, unsigned n) : policy(p), ways(n), tree(n) {
    for (unsigned w = 0; w < n; ++w) order.push_back(w);
  }
  void use(unsigned way) {
    order.remove(way);
    order.push_front(way);
    if (policy == Policy::tree_plru) turn(1, 0, static_cast<unsigned>(ways.size()), way);
  }
  void turn(unsigned node, unsigned first, unsigned count, unsigned way) {
    if (count == 1) return;
    const bool left = way < first + count / 2;
    tree[node] = left;
    turn(2 * node + !left, left ? first : first + count / 2, count / 2, way);
  }
  unsigned oldest(unsigned node, unsigned first, unsigned count) const {
    if (count == 1) return first;
    return tree[node] ? oldest(2 * node + 1, first + count / 2, count / 2) : oldest(2 * node, first, count / 2);
  }
  /// Any victim for `random`; the test asks which it was.
  unsigned victim() const {
    if (policy == Policy::lru) return order.back();
    const auto hole = std::ranges::find(ways, 0U) - ways.begin();
    if (hole != static_cast<std::ptrdiff_t>(ways.size())) return static_cast<unsigned>(hole);
    return oldest(1, 0, static_cast<unsigned>(ways.size()));
  }
  void drop(std::uint64_t line) {
    const auto at = std::ranges::find(ways, line);
    if (at == ways.end()) return;
    *at = 0;
    order.remove(static_cast<unsigned>(at - ways.begin()));
    order.push_back(static_cast<unsigned>(at - ways.begin()));
  }
};

/// Uses, fills and drops at random; the cache must agree with the plain set on each.
void compare(Policy policy, std::uint64_t sets, unsigned ways) {
  Cache ours(sets, ways, policy, 3);
  std::vector<PlainSet> plain(sets, PlainSet(policy, ways));
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const std::uint64_t line = random_word(1, i) % (2 * sets * ways) + 5 * sets;
    const std::uint64_t address = line * LINE;
    auto& set = plain[line % sets];
    const auto at = std::ranges::find(set.ways, address);
    const bool held = at != set.ways.end();
    CAPTURE(i);
    REQUIRE((ours.find(address) != nullptr) == held);
    if (random_word(2, i) % 8 == 0) {
      REQUIRE((ours.drop(address) != 0) == held);
      set.drop(address);
      continue;
    }
    REQUIRE((ours.touch(address) != nullptr) == held);
    if (held) {
      set.use(static_cast<unsigned>(at - set.ways.begin()));
      continue;
    }
    const std::uint64_t gone = ours.fill(address).victim & ADDRESS;
    const bool full = std::ranges::find(set.ways, 0U) == set.ways.end();
    unsigned way = set.victim();
    if (policy == Policy::random && full) {
      way = static_cast<unsigned>(std::ranges::find(set.ways, gone) - set.ways.begin());
      REQUIRE(way < ways);
    }
    REQUIRE(gone == set.ways[way]);
    set.ways[way] = address;
    set.use(way);
  }
}

/// Levels without inclusion, prefetches and other CPUs: lists of lines, nearest first.
struct PlainLevels {
  struct Level {
    std::uint64_t sets, ways;
    Time latency;
    std::vector<std::list<std::pair<std::uint64_t, bool>>> lines;  // line and whether it is dirty
    std::uint64_t misses = 0, writebacks = 0;
  };
  std::vector<Level> levels;
  std::uint64_t reads = 0, writes = 0;

  void add(std::uint64_t size, std::uint64_t ways, Time latency) {
    const auto sets = size / LINE / ways;
    levels.push_back({sets, ways, latency, {}, 0, 0});
    levels.back().lines.resize(sets);
  }
  static auto find(std::list<std::pair<std::uint64_t, bool>>& set, std::uint64_t line) {
    return std::ranges::find_if(set, [&](const auto& held) { return held.first == line; });
  }
  void write_back(std::size_t k, std::uint64_t line) {
    if (k == levels.size()) {
      ++writes;
      return;
    }
    auto& set = levels[k].lines[line % levels[k].sets];
    if (const auto held = find(set, line); held != set.end()) {
      held->second = true;
    } else {
      put(k, line, true);
    }
  }
  void put(std::size_t k, std::uint64_t line, bool dirty) {
    auto& set = levels[k].lines[line % levels[k].sets];
    set.emplace_front(line, dirty);
    if (set.size() <= levels[k].ways) return;
    const auto gone = set.back();
    set.pop_back();
    if (!gone.second) return;
    ++levels[k].writebacks;
    write_back(k + 1, gone.first);
  }
  Time access(std::uint64_t line, bool store) {
    for (std::size_t k = 0; k < levels.size(); ++k) {
      auto& set = levels[k].lines[line % levels[k].sets];
      if (const auto held = find(set, line); held != set.end()) {
        set.splice(set.begin(), set, held);
        if (store && k == 0) held->second = true;
        return levels[k].latency;
      }
      ++levels[k].misses;
      put(k, line, store && k == 0);
    }
    ++reads;
    return levels.back().latency + READ;
  }
};

}  // namespace

TEST_CASE("a cache keeps the same lines in each set as a plain one, for any policy and geometry") {
  for (const unsigned ways : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) compare(Policy::tree_plru, 6, ways);
  for (const auto policy : {Policy::lru, Policy::random})
    for (const unsigned ways : {1U, 3U, 7U, 8U, 9U, 12U, 15U, 16U, 17U, 20U, 33U, 128U})
      for (const std::uint64_t sets : {1U, 2U, 3U, 5U}) compare(policy, sets, ways);
}

TEST_CASE("quotient and remainder are exact for any number of sets") {
  for (const std::uint64_t sets : {1ULL, 2ULL, 3ULL, 5ULL, 7ULL, 24ULL, 48ULL, 1023ULL, 65537ULL, 90001ULL, 3145729ULL})
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t number = random_word(sets, i) >> (6 + i % 50);
      const auto parts = Modulus(sets).of(number);
      CHECK(parts.quotient == number / sets);
      CHECK(parts.rest == number % sets);
    }
}

TEST_CASE("levels without inclusion find, fetch and write back the same lines as plain lists") {
  for (const std::uint64_t words : {150U, 400U, 1200U}) {
    const Made made(cache("L1", "768B", 3, 1) + cache("L2", "3KiB", 4, 10) + cache("L3", "24KiB", 12, 40));
    PlainLevels plain;
    plain.add(768, 3, 1000);
    plain.add(3072, 4, 10'000);
    plain.add(24'576, 12, 40'000);
    Time at = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto line = random_word(words, i) % words;
      const bool store = random_word(~words, i) % 3 == 0;
      const Time took = made.access(line, store ? Kind::store : Kind::load, at);
      CAPTURE(i);
      REQUIRE(took == plain.access(line, store));
      at += took;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = "L" + std::to_string(k + 1);
      CHECK(made.count(name + ".load_misses") + made.count(name + ".store_misses") == plain.levels[k].misses);
      CHECK(made.count(name + ".writebacks") == plain.levels[k].writebacks);
    }
    CHECK(made.memory.reads.size() == plain.reads);
    CHECK(made.memory.writes.size() == plain.writes);
    CHECK(made.count("L1.loads") + made.count("L1.stores") == 20'000);
    CHECK(made.count("L2.loads") == made.count("L1.load_misses"));
    CHECK(made.count("L1.writebacks") <= made.count("L1.stores"));
  }
}

TEST_CASE("random draws hit with the probability size over footprint, for any policy") {
  for (const std::string policy : {"lru", "tree-plru", "random"}) {
    const Made made(cache("L1", "16KiB", 8, 1, "policy = \"" + policy + "\""));
    constexpr std::uint64_t DRAWS = 40'000, WARM = 4000;
    for (std::uint64_t i = 0; i < WARM + DRAWS; ++i) {
      if (i == WARM) made.caches->reset_counters();
      made.access(random_word(11, i) % 1024, Kind::load, static_cast<Time>(i) * 1'000'000);
    }
    // a quarter of the lines fit; five standard deviations of a binomial count are 433
    CAPTURE(policy);
    CHECK(made.count("L1.load_misses") == doctest::Approx(0.75 * DRAWS).epsilon(450.0 / (0.75 * DRAWS)));
  }
}
