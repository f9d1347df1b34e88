/// Hand-overs: two threads on the same lines. The first asks and is timed; the second answers for as long as the first
/// asks.
#include <cstring>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/timed.hpp"
#include "kernels/baseline/handover.hpp"

namespace tierscope::tasks::handover {
namespace {

struct HandOvers final : WorkOf<HandOvers> {
  std::uint64_t footprint = 0;
  static std::span<const Key<HandOvers>> table() {
    static constexpr Key<HandOvers> KEYS[]{bytes_key<HandOvers, &HandOvers::footprint>("footprint")};
    return KEYS;
  }
};

class HandOverTask final : public TaskOf<blocks::RoundTrips> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<HandOvers>(); }
  void check(const Group& group) const override {
    if (group.plan.cpus.size() != 2)
      throw BadPlan("kernel " + group.plan.kernel + " runs on two CPUs, not on " +
                    std::to_string(group.plan.cpus.size()));
  }
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto footprint = group.plan.of<HandOvers>().footprint;
    if (footprint < group.line) refuse_footprint(group.plan, footprint, group.line);
    return footprint / group.line;
  }
  [[nodiscard]] std::uint64_t element(const Group& group) const override { return group.line; }
  [[nodiscard]] bool together() const override { return true; }

  /// No tier slows lines that go from core to core.
  void require_reached(const Group& group) const override {
    if (group.target_adds.latency_floor_s > 0 || group.target_adds.bandwidth > 0)
      throw BadPlan("kernel " + group.plan.kernel + " moves lines between caches, which target " + group.plan.target +
                    " does not slow; take target=node:N");
  }
  void place(Group& group, std::size_t member) const override {
    group.members[member].pass.state = member;  // 0 asks, 1 answers
    group.members[member].pass.cursor = 0;
    group.members[member].pass.element = group.line;
  }

  [[nodiscard]] bool answers(std::size_t thread) const override { return thread > 0; }
  [[nodiscard]] bool asks_another(std::size_t thread) const override { return thread == 0; }

  /// Both threads have counted the same hand-overs, and the line they are at contains the last.
  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    const auto count = member.pass.cursor;
    for (const auto& other : group.members)
      if (other.pass.cursor != count) return WRONG;
    if (count == 0) return 0;
    const auto number = (count - 2) / kernels::handover::ON_ONE_LINE % member.pass.nodes;
    std::uint64_t last = 0;
    std::memcpy(&last, member.pass.operand[0] + number * member.pass.element, sizeof last);
    return last == count ? 0 : WRONG;
  }
};

const HandOverTask task{"handover"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tierscope::tasks::handover
