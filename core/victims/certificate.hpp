/// A proof that a flow is the best one, by weak duality. It takes nothing from the solver but the flow, a potential
/// for every node and the cost it claims. It reads the arcs from the timetable once more.
///
/// Reduced cost of arc a from u to v: r(a) = c(a) + p(u) - p(v). The flow f is optimal if
///   f(a) is 0 or 1; what leaves a node less what enters it is its supply b(v);
///   f(a) = 0 where r(a) > 0 and f(a) = 1 where r(a) < 0 (complementary slackness);
///   sum c(a) f(a) = sum min(0, r(a)) - sum b(v) p(v) (primal cost = dual cost) = the cost claimed.
/// Source: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", 1993, chapter 9.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "victims/timetable.hpp"

namespace tierscope::flow {

/// As a solver leaves it.
struct Solution {
  std::vector<std::int8_t> flow;        // of each arc, in the order of Timetable::each_arc
  std::vector<std::int64_t> potential;  // of each node
  std::int64_t cost = 0;                // claimed
};

/// "" or what is wrong with it.
std::string fault(const Timetable& timetable, const Solution& solution);

}  // namespace tierscope::flow
