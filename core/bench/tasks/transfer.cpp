/// Transfers: two threads and the lines of one of them. The first reads and is timed, the second prepares the lines
/// before each block (core/kernels/transfer.hpp).
#include "kernels/transfer.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/cycle.hpp"
#include "bench/timed.hpp"

namespace tierscope::tasks::transfer {
namespace {

using kernels::transfer::node;
using kernels::transfer::READER;

struct Transferred final : WorkOf<Transferred> {
  std::uint64_t footprint = 0;
  static std::span<const Key<Transferred>> table() {
    static constexpr Key<Transferred> KEYS[]{bytes_key<Transferred, &Transferred::footprint>("footprint")};
    return KEYS;
  }
};

class TransferTask final : public TaskOf<blocks::Prepared> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Transferred>(); }
  void check(const Group& group) const override {
    if (group.plan.cpus.size() != 2)
      throw BadPlan("kernel " + group.plan.kernel + " runs on two CPUs, not on " +
                    std::to_string(group.plan.cpus.size()));
    if (group.plan.pace > 0 || group.plan.per_block > 0)
      throw BadPlan("kernel " + group.plan.kernel + " takes no pace= and no per_block=: a block is all lines once");
  }
  /// Bytes of the token and the lines.
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto footprint = group.plan.of<Transferred>().footprint;
    const auto spacing = element(group);
    if (footprint < 3 * spacing) refuse_footprint(group.plan, footprint, (3 * spacing + 1) / 2);
    return footprint / spacing;
  }
  [[nodiscard]] bool together() const override { return true; }
  [[nodiscard]] std::uint64_t element(const Group& group) const override { return 2 * group.line; }

  /// No tier slows lines that go from core to core.
  void require_reached(const Group& group) const override {
    if (group.target_adds.latency_floor_s > 0 || group.target_adds.bandwidth > 0)
      throw BadPlan("kernel " + group.plan.kernel + " moves lines between caches, which target " + group.plan.target +
                    " does not slow; take target=node:N");
  }
  void place(Group& group, std::size_t member) const override {
    auto& pass = group.members[member].pass;
    pass.state = member;  // READER, OWNER
    pass.cursor = pass.written = 0;
    pass.element = element(group);
  }
  /// Only the thread that reads fills: both would write the same.
  void fill(const Group& group, std::size_t member, std::span<std::byte>) const noexcept override {
    if (member != READER) return;
    const auto& pass = group.members[member].pass;
    const Cycle cycle(pass.nodes - 1, 0, group.plan.seed);
    const auto place_of = [&](std::uint64_t step) { return step == 0 ? 1 : 1 + relative(cycle, step); };
    *node(pass, 0) = {0, 0};
    for (std::uint64_t step = 0; step < cycle.nodes(); ++step)
      *node(pass, place_of(step)) = {reinterpret_cast<std::uintptr_t>(node(pass, place_of((step + 1) % cycle.nodes()))),
                                     0};
  }
  /// The numbers of the lines continue from one experiment to the next, so that no memory counts as filled by mistake.
  [[nodiscard]] std::string content(const Group& group) const override {
    return " transferred " + std::to_string(group.operations) + " " + std::to_string(group.plan.cpus[0]) + "," +
           std::to_string(group.plan.cpus[1]) + " " + group.plan.kernel;
  }

  [[nodiscard]] bool answers(std::size_t thread) const override { return thread > 0; }
  [[nodiscard]] bool asks_another(std::size_t thread) const override { return thread == 0; }
  [[nodiscard]] std::uint64_t granule(const Group& group) const override { return group.operations - 1; }

  /// Checks that both counted the same preparations and that each chase ended where it began; modified lines count.
  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    const auto& pass = member.pass;
    for (const auto& other : group.members)
      if (other.pass.cursor != pass.cursor || other.pass.written != 0) return WRONG;
    const bool modified = group.plan.kernel == "transfer_modified";
    const auto expected = modified ? node(pass, 1)->stored : 0;
    if (modified && expected < pass.cursor / 2) return WRONG;
    for (std::uint64_t n = 1; n < pass.nodes; ++n)
      if (node(pass, n)->stored != expected) return WRONG;
    return 0;
  }

 private:
  /// The place of a step in the cycle, so that step 0 is at place 0.
  static std::uint64_t relative(const Cycle& cycle, std::uint64_t step) noexcept {
    const auto nodes = cycle.nodes();
    return (cycle.at(step) + nodes - cycle.at(0)) % nodes;
  }
};

const TransferTask task{"transfer"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tierscope::tasks::transfer
