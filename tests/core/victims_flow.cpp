/// The victim `flow`: its instances, its optimum by a certificate, by hand and by a second algorithm.
#include <doctest/doctest.h>

#include "says.hpp"
#include "victims/certificate.hpp"
#include "victims/simplex.hpp"
#include "victims/victim.hpp"

#if __has_include(<lemon/capacity_scaling.h>)
#include <lemon/capacity_scaling.h>
#include <lemon/smart_graph.h>
#endif

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

std::unique_ptr<Victim> victim(const std::string& name, const VictimOptions& options) {
  return Registry<VictimEntry>::find("victim", name).make(options);
}

bool has_solver() { return flow::Simplex::lacking().empty(); }

/// Two trips that one vehicle can do: 60 minutes between them, 4 minutes' drive.
flow::Timetable two_trips() {
  return flow::Timetable({{600, 640, {17, 15}, {15, 13}}, {700, 730, {13, 15}, {15, 20}}});
}
// by hand: out 2 minutes, between 4 minutes and 56 of waiting, home 5 minutes
constexpr std::int64_t TWO_TRIPS = 100'000 + 2 * 10 + (4 * 10 + 56 * 2) + 5 * 10;

flow::Solution solved(const flow::Timetable& timetable) {
  flow::Simplex simplex(timetable);
  REQUIRE(simplex.solve() >= 0);
  return simplex.solution();
}

}  // namespace

TEST_CASE("a timetable has one arc for every pair of trips that a vehicle can do") {
  std::vector<flow::Arc> arcs;
  two_trips().each_arc([&](const flow::Arc& arc) { arcs.push_back(arc); });
  REQUIRE(arcs.size() == 5);
  CHECK(two_trips().nodes() == 5);
  CHECK(arcs[3].tail == 3);  // the end of the first trip
  CHECK(arcs[3].head == 2);  // the start of the second
  CHECK(arcs[3].cost == 4 * 10 + 56 * 2);
  const flow::Timetable too_far({{600, 640, {0, 0}, {0, 0}}, {641, 700, {29, 29}, {0, 0}}});
  CHECK(too_far.arcs() == 4);
}

TEST_CASE("one seed is one timetable, on every machine") {
  const auto digest = [](std::uint64_t seed) {
    std::uint64_t sum = 14695981039346656037U;  // FNV-1a
    flow::Timetable::made(300, seed).each_arc([&](const flow::Arc& arc) {
      for (const std::uint64_t word : {std::uint64_t{arc.tail}, std::uint64_t{arc.head}, std::uint64_t(arc.cost)})
        sum = (sum ^ word) * 1099511628211U;
    });
    return sum;
  };
  CHECK(digest(1995) == 11416035145664346204U);
  CHECK(digest(1996) != digest(1995));
}

TEST_CASE("the optimum of two trips is that of a calculation by hand") {
  if (!has_solver()) return;
  const auto solution = solved(two_trips());
  CHECK(solution.cost == TWO_TRIPS);
  CHECK(flow::fault(two_trips(), solution).empty());
}

TEST_CASE("the certificate refuses a solution that is not the optimum") {
  // out to trip 1, out to trip 2, home, trip 1 to trip 2, home; potentials of depot, starts, ends
  const flow::Solution right{{1, 0, 0, 1, 1}, {0, 100'020, 152, 0, -50}, TWO_TRIPS};
  CHECK(flow::fault(two_trips(), right) == "");
  const auto tampered = [&](auto change) {
    auto solution = right;
    change(solution);
    return flow::fault(two_trips(), solution);
  };
  CHECK(holds(tampered([](auto& it) { it.flow = {1, 1, 1, 0, 1}; }), "breaks complementary slackness"));
  CHECK(holds(tampered([](auto& it) { it.flow[0] = 0; }), "does not keep its flow"));
  CHECK(holds(tampered([](auto& it) { it.flow[0] = 2; }), "out of bounds"));
  CHECK(holds(tampered([](auto& it) { it.flow.pop_back(); }), "another size"));
  CHECK(holds(tampered([](auto& it) { it.potential[1] -= 1; }), "slackness"));
  CHECK(holds(tampered([](auto& it) { it.cost -= 1; }), "claimed is not that of the flow"));
}

TEST_CASE("a certificate of one fault does not stand for another instance") {
  if (!has_solver()) return;
  const auto one = flow::Timetable::made(120, 1), other = flow::Timetable::made(120, 2);
  CHECK(flow::fault(one, solved(one)).empty());
  CHECK_FALSE(flow::fault(other, solved(one)).empty());
}

#if __has_include(<lemon/capacity_scaling.h>)
/// The optimum by another algorithm: capacity scaling.
std::int64_t by_capacity_scaling(const flow::Timetable& timetable) {
  lemon::SmartDigraph graph;
  for (std::size_t i = 0; i < timetable.nodes(); ++i) graph.addNode();
  std::vector<std::int64_t> costs;
  timetable.each_arc([&](const flow::Arc& arc) {
    graph.addArc(lemon::SmartDigraph::nodeFromId(static_cast<int>(arc.tail)),
                 lemon::SmartDigraph::nodeFromId(static_cast<int>(arc.head)));
    costs.push_back(arc.cost);
  });
  lemon::SmartDigraph::ArcMap<std::int64_t> cost(graph);
  for (std::size_t i = 0; i < costs.size(); ++i) cost[lemon::SmartDigraph::arcFromId(static_cast<int>(i))] = costs[i];
  lemon::SmartDigraph::NodeMap<int> supply(graph);
  for (std::size_t i = 0; i < timetable.nodes(); ++i)
    supply[lemon::SmartDigraph::nodeFromId(static_cast<int>(i))] = timetable.supply(i);
  const lemon::ConstMap<lemon::SmartDigraph::Arc, int> upper(1);
  lemon::CapacityScaling<lemon::SmartDigraph, int, std::int64_t> other(graph);
  other.costMap(cost).upperMap(upper).supplyMap(supply);
  REQUIRE(other.run() == other.OPTIMAL);
  return other.totalCost<std::int64_t>();
}

TEST_CASE("another algorithm finds the same optimum") {
  if (!has_solver()) return;
  for (const std::uint64_t seed : {1U, 2U, 1995U}) {
    const auto timetable = flow::Timetable::made(200, seed);
    const auto solution = solved(timetable);
    CHECK(solution.cost == by_capacity_scaling(timetable));
    CHECK(flow::fault(timetable, solution).empty());
  }
}
#endif

TEST_CASE("a second solve forgets the first") {
  if (!has_solver()) return;
  const auto timetable = flow::Timetable::made(150, 3);
  flow::Simplex simplex(timetable);
  const auto cost = simplex.solve();
  CHECK(simplex.solve() == cost);
  CHECK(flow::fault(timetable, simplex.solution()).empty());
}

TEST_CASE("the victim flow solves its instance and reports its optimum") {
  if (!has_solver()) return;
  const auto flow = victim("flow", {.size = "test"});
  CHECK(flow->detail() == "3001 nodes, 911854 arcs");
  CHECK(flow->memory_bytes() > std::size_t{40} << 20U);
  flow->run();
  CHECK(flow->failure() == "");
  CHECK(flow->check() == 0);
  CHECK(flow->detail() == "3001 nodes, 911854 arcs, optimum 20534528");
}

TEST_CASE("a size of flow must be given and known") {
  CHECK(error_of([] { victim("flow", {.size = "big"}); }) ==
        "BadPlan: unknown size 'big' of flow (known: test, train, ref)");
  CHECK(holds(error_of([] { victim("flow", {}); }), "BadPlan: kernel flow needs a size"));
}

TEST_CASE("flow without its library stays listed and states what installs it") {
  const auto& entry = Registry<VictimEntry>::find("victim", "flow");
  CHECK(entry.lacking == flow::Simplex::lacking());
  if (has_solver()) return;
  CHECK(holds(std::string(entry.lacking), "install liblemon-dev, then run ./tierscope again"));
  CHECK(holds(error_of([] { victim("flow", {.size = "test"}); }), "Unsupported: victim flow: built without"));
}
