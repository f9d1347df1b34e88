/// Blocks: one call, store or sum of `element` bytes per operation. Each block of the bench ends with a fence that
/// waits for all stores, since such operations are timed one by one.
#include "bench/tasks/block.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "bench/streams.hpp"
#include "bench/tasks/line_check.hpp"
#include "bench/timed.hpp"
#include "bench/words.hpp"

namespace tierscope {

using kernels::Fence;
using kernels::LINE;
using kernels::Order;

std::span<const Key<Blocks>> Blocks::table() {
  static constexpr Key<Blocks> KEYS[]{
      bytes_key<Blocks, &Blocks::footprint>("footprint"),  bytes_key<Blocks, &Blocks::skew>("skew"),
      bytes_key<Blocks, &Blocks::element>("element"),      bytes_key<Blocks, &Blocks::access>("access"),
      bytes_key<Blocks, &Blocks::locality>("locality"),    choice_key<Blocks, &Blocks::fence, FENCES>("fence"),
      choice_key<Blocks, &Blocks::order, ORDERS>("order"),
  };
  return KEYS;
}

Order order_of(const Group& group) {
  const auto& info = *group.entry->info;
  const auto& asked = group.plan.of<Blocks>().order;
  return info.orders && asked ? *asked : info.drawn ? Order::random : Order::sequential;
}

Fence fence_of(const Group& group) {
  return group.plan.of<Blocks>().fence.value_or(group.entry->info->flushes ? Fence::chunk : Fence::never);
}

std::uint64_t region_of(const Group& group, const Member& member) {
  const auto& its = group.plan.of<Blocks>();
  return its.locality == 0 ? member.end - member.begin : its.locality / its.element;
}

std::uint64_t touched_of(const Group& group) {
  const auto& its = group.plan.of<Blocks>();
  return its.access == 0 ? its.element : its.access;
}

std::uint64_t first_draw(const Group& group, std::size_t member) { return random_word(group.plan.seed, member); }

namespace tasks::block {
namespace {

void check_order(const Group& group) {
  const auto& its = group.plan.of<Blocks>();
  const auto& kernel = group.plan.kernel;
  if (group.entry->info->orders) return;
  if (its.order && *its.order != order_of(group))
    throw BadPlan("kernel " + kernel + " does not take another order=; read_blocks, mix_blocks_... and flush_... do");
  if (its.access > 0)
    throw BadPlan("kernel " + kernel + " does not take access=; read_blocks, mix_blocks_... and flush_... do");
}

/// Checks the keys that only kernels with flushes take, and those that only kernels with regions take.
void check_fence(const Group& group) {
  const auto& fence = group.plan.of<Blocks>().fence;
  const auto& kernel = group.plan.kernel;
  const auto& info = *group.entry->info;
  if (!fence || *fence == Fence::never) return;
  if (!info.flushes && !(info.orders && *fence == Fence::region))
    throw BadPlan("kernel " + kernel + " does not take this fence=; kernels named flush_... do" +
                  (info.orders ? ", and fence=region is for this one too" : ""));
  if (*fence != Fence::region) return;
  if (order_of(group) != Order::once) throw BadPlan("fence=region needs the regions of order=once");
  if (info.flush == kernels::Flush::msync)
    throw BadPlan("kernel " + kernel + " does not take fence=region: each of its calls waits; take fence=chunk");
}

class BlockTask final : public TaskOf<blocks::FencedSlices> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Blocks>(); }
  void check(const Group& group) const override {
    const auto& its = group.plan.of<Blocks>();
    const auto& info = *group.entry->info;
    require_multiple("element", its.element, 8, "8 bytes");
    require_multiple_of_element("locality", its.locality, its.element);
    if (its.skew % LINE != 0) throw BadPlan("skew=" + std::to_string(its.skew) + " is not a multiple of 64");
    check_order(group);
    if (its.access % LINE != 0 || its.access > its.element)
      throw BadPlan("access=" + std::to_string(its.access) +
                    " is not a multiple of 64 up to element=" + std::to_string(its.element));
    if (its.locality > 0 && order_of(group) != Order::once)
      throw BadPlan("locality= of blocks is the region of order=once; remove it, or add order=once");
    if (info.orders && its.element % LINE != 0)
      throw BadPlan("element=" + std::to_string(its.element) + " is not a multiple of a cache line (64), which is " +
                    (info.flushes ? "flushed" : "read"));
    check_fence(group);
  }
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto& its = group.plan.of<Blocks>();
    const auto lines = group.entry->info->lines();
    const auto nodes = its.footprint / (its.element * lines) / group.plan.cpus.size();
    const auto window = its.locality == 0 ? nodes : its.locality / its.element;
    const auto each = window == 0 ? 0 : nodes / window * window;
    if (each == 0) refuse_footprint(group.plan, its.footprint, std::max(its.locality, its.element) * lines);
    return each;
  }

  [[nodiscard]] bool walks() const override { return true; }
  [[nodiscard]] std::uint64_t element(const Group& group) const override { return group.plan.of<Blocks>().element; }
  [[nodiscard]] std::uint64_t asked(const Group& group) const override { return touched_of(group); }
  [[nodiscard]] std::uint64_t skew(const Group& group) const override { return group.plan.of<Blocks>().skew; }
  void place(Group& group, std::size_t number) const override {
    auto& member = group.members[number];
    auto& pass = member.pass;
    pass.state = first_draw(group, number);
    pass.cursor = member.begin;
    pass.element = element(group);
    pass.access = group.plan.of<Blocks>().access;
    pass.region = region_of(group, member);
    pass.fence = fence_of(group);
    pass.order = order_of(group);
  }
  void stir(const Group& group, std::size_t member) const noexcept override {
    stir_operands(group, group.members[member]);
  }

  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    return verify_blocks(group, member);
  }

  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry& entry) const override {
    return no_simulated_stores(entry);
  }
  [[nodiscard]] std::unique_ptr<Stream> stream(const Group& group, std::size_t member,
                                               const Bases& bases) const override {
    return block_stream(group, member, bases);
  }
  [[nodiscard]] bool drains() const override { return true; }

  [[nodiscard]] WorkFacts facts(const Group& group) const override {
    return {.element_bytes = element(group), .access_bytes = group.entry->info->orders ? touched_of(group) : 0};
  }
};

const BlockTask task{"block"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::block
}  // namespace tierscope
