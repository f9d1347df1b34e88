#include "victims/certificate.hpp"

namespace tierscope::flow {
namespace {

/// A potential may be near the ends of 64 bits where a node hangs on an arc that only the solver knows; sums of them
/// need more. GCC and Clang have it on every 64-bit machine.
__extension__ using Wide = __int128;

/// Sums over all arcs, and the first arc that breaks a rule.
class Audit {
 public:
  explicit Audit(const Solution& solution) : solution_(solution), left_(solution.potential.size(), 0) {}

  void visit(const Arc& arc) {
    const auto index = next_++;
    const auto flow = solution_.flow[index];
    const Wide reduced = Wide{arc.cost} + solution_.potential[arc.tail] - solution_.potential[arc.head];
    left_[arc.tail] += flow;
    left_[arc.head] -= flow;
    primal_ += Wide{arc.cost} * flow;
    dual_ += reduced < 0 ? reduced : 0;
    if (flow != 0 && flow != 1) found("flow", index, "is out of bounds");
    if ((reduced > 0 && flow != 0) || (reduced < 0 && flow != 1)) found("arc", index, "breaks complementary slackness");
  }
  std::string finish(const Timetable& timetable) {
    for (std::size_t node = 0; node < left_.size(); ++node) {
      dual_ -= Wide{timetable.supply(node)} * solution_.potential[node];
      if (left_[node] != timetable.supply(node)) found("node", node, "does not keep its flow");
    }
    if (primal_ != dual_) found("cost", 0, "of the flow is not that of the potentials");
    if (primal_ != solution_.cost) found("cost", 0, "claimed is not that of the flow");
    return fault_;
  }

 private:
  void found(const char* what, std::size_t index, const char* how) {
    if (fault_.empty()) fault_ = std::string(what) + " " + std::to_string(index) + " " + how;
  }
  const Solution& solution_;
  std::vector<std::int64_t> left_;
  std::size_t next_ = 0;
  Wide primal_ = 0, dual_ = 0;
  std::string fault_;
};

}  // namespace

std::string fault(const Timetable& timetable, const Solution& solution) {
  if (solution.flow.size() != timetable.arcs() || solution.potential.size() != timetable.nodes())
    return "it is of another size";
  Audit audit(solution);
  timetable.each_arc([&](const Arc& arc) { audit.visit(arc); });
  return audit.finish(timetable);
}

}  // namespace tierscope::flow
