#include "victims/simplex.hpp"

#include <string_view>

#include "base/error.hpp"

#ifdef TIERSCOPE_LEMON
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>
#endif

namespace tierscope::flow {

#ifdef TIERSCOPE_LEMON

namespace {

using Graph = lemon::StaticDigraph;
using Solver = lemon::NetworkSimplex<Graph, int, std::int64_t>;

struct Row {  // what StaticDigraph::build reads
  int first, second;
  std::int32_t cost;
};

std::vector<Row> rows_of(const Timetable& timetable) {
  std::vector<Row> rows;
  rows.reserve(timetable.arcs());
  timetable.each_arc(
      [&](const Arc& arc) { rows.push_back({static_cast<int>(arc.tail), static_cast<int>(arc.head), arc.cost}); });
  return rows;
}

/// A map from arcs or nodes to values for LEMON, which takes any type with these two names.
template <class Key, class Word, class Find>
struct View {
  using Value = Word;
  Find find;
  Value operator[](const Key& key) const { return find(Graph::id(key)); }
};
template <class Key, class Word, class Find>
View<Key, Word, Find> view(Find find) {
  return {find};
}

}  // namespace

struct Simplex::State {
  Graph graph;
  std::unique_ptr<Solver> solver;
};

std::string_view Simplex::lacking() noexcept { return ""; }

std::size_t Simplex::memory_bytes(std::size_t nodes, std::size_t arcs) noexcept {
  // StaticDigraph: source, target, two lists; NetworkSimplex: source, target, bounds, capacity, flow, cost, state,
  // number
  constexpr std::size_t OF_ARC = 4 * 4 + (2 * 4 + 3 * 4 + 4 + 8 + 1 + 4);
  // an artificial arc of each node, as wide as the others; the tree: eight words, potential, supply; the graph: two
  // lists
  constexpr std::size_t OF_NODE = 2 * (2 * 4 + 2 * 4 + 8 + 1) + (7 * 4 + 1 + 8 + 4 + 4) + 2 * 4;
  return arcs * OF_ARC + nodes * OF_NODE;
}

std::size_t Simplex::peak_bytes(std::size_t nodes, std::size_t arcs) noexcept {
  return memory_bytes(nodes, arcs) + arcs * sizeof(Row);
}

Simplex::Simplex(const Timetable& timetable) : state_(std::make_unique<State>()) {
  const auto rows = rows_of(timetable);
  state_->graph.build(static_cast<int>(timetable.nodes()), rows.begin(), rows.end());
  state_->solver = std::make_unique<Solver>(state_->graph);
  const auto cost = [&](int arc) { return std::int64_t{rows[static_cast<std::size_t>(arc)].cost}; };
  const auto supply = [&](int node) { return timetable.supply(static_cast<std::size_t>(node)); };
  state_->solver->costMap(view<Graph::Arc, std::int64_t>(cost))
      .upperMap(view<Graph::Arc, int>([](int) { return 1; }))
      .supplyMap(view<Graph::Node, int>(supply));
}

std::int64_t Simplex::solve() {
  if (state_->solver->run() != Solver::OPTIMAL) return -1;
  return state_->solver->totalCost<std::int64_t>();
}

Solution Simplex::solution() const {
  const auto& [graph, solver] = *state_;
  Solution found;
  for (int arc = 0; arc < graph.arcNum(); ++arc)
    found.flow.push_back(static_cast<std::int8_t>(solver->flow(Graph::arc(arc))));
  for (int node = 0; node < graph.nodeNum(); ++node) found.potential.push_back(solver->potential(Graph::node(node)));
  found.cost = solver->totalCost<std::int64_t>();
  return found;
}

#else

struct Simplex::State {};

std::string_view Simplex::lacking() noexcept {
  return "built without the LEMON graph library: install liblemon-dev, then run ./tierscope again";
}
std::size_t Simplex::memory_bytes(std::size_t, std::size_t) noexcept { return 0; }
std::size_t Simplex::peak_bytes(std::size_t, std::size_t) noexcept { return 0; }
Simplex::Simplex(const Timetable&) { throw Unsupported("victim flow: " + std::string(lacking())); }
std::int64_t Simplex::solve() { return -1; }
Solution Simplex::solution() const { return {}; }

#endif

Simplex::~Simplex() = default;

}  // namespace tierscope::flow
