/// Keys: a block is one round of operations on a structure (bench/keyed.hpp).
#include "bench/tasks/key.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/keyed.hpp"
#include "bench/keyed_simulated.hpp"
#include "bench/own_kernel.hpp"
#include "bench/timed.hpp"

namespace tierscope {

std::span<const Key<Keys>> Keys::table() {
  static constexpr Key<Keys> KEYS[]{
      text_key<Keys, &Keys::operation>("operation"), text_key<Keys, &Keys::drawn>("keys"),
      text_key<Keys, &Keys::sharing>("sharing"),     count_key<Keys, &Keys::count>("count"),
      bytes_key<Keys, &Keys::value>("value"),
  };
  return KEYS;
}

namespace tasks::key {
namespace {

constexpr std::uint64_t ASKED = 4096;  // bytes of a pool that only shows what its file system is

Keyed& keyed(const std::unique_ptr<Victim>& victim) { return static_cast<Keyed&>(*victim); }

class KeyTask final : public TaskOf<blocks::Whole> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Keys>(); }
  [[nodiscard]] std::shared_ptr<const kernels::KernelEntry> find(std::string_view kernel) const override {
    for (const StructureEntry* structure : Registry<StructureEntry>::entries())
      if (structure->name == kernel) return own_kernel(structure->name, name);
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return names_of(Registry<StructureEntry>::entries());
  }
  void check(const Group& group) const override {
    if (!group.plan.source.empty())
      throw BadPlan("structure " + group.plan.kernel + " is in one place; remove source=");
  }
  [[nodiscard]] bool whole() const override { return true; }

  /// For a structure with a pool of its own, a second pool in the same place shows what persists there.
  [[nodiscard]] std::uint64_t asks(const Group& group) const override {
    return group.plan.target == "pool" && !group.plan.where.ends_with(",open") ? ASKED : 0;
  }
  [[nodiscard]] std::unique_ptr<Victim> make(const Group& group, std::size_t member,
                                             std::shared_ptr<KeyedTeam> team) const override {
    return std::make_unique<Keyed>(group.plan, member, std::move(team), group.target_adds);
  }
  void look_up(Store& store) const override {
    auto& placement = store.target.placement;
    placement = keyed(store.victims.front()).placement();
    for (std::size_t m = 1; m < store.victims.size(); ++m)
      for (const auto& [node, bytes] : keyed(store.victims[m]).placement().nodes) placement.nodes[node] += bytes;
  }
  /// Adds up the times of all members of a group.
  void keep(Store& store, std::size_t member) const override {
    if (member == 0) store.timings.emplace_back();
    store.timings.back().merge(keyed(store.victims[member]).take_timing());
  }

  [[nodiscard]] double verify(const Group&, const Member& member) const override {
    return member.victim == nullptr ? WRONG : member.victim->check();
  }

  [[nodiscard]] std::uint64_t simulated_bytes(const Group& group) const override {
    return Keyed::held_bytes(group.plan);
  }
  [[nodiscard]] std::unique_ptr<SimulatedGroup> simulate(const SimulatedPlace& place) const override {
    return std::make_unique<KeyedGroup>(place);
  }

  /// Unknown for a pool that only a structure has open.
  [[nodiscard]] Persistence persistence(const Group& group, const Store& store) const override {
    const bool unknown = group.plan.target == "pool" && store.target.buffer.bytes().empty();
    return unknown ? Persistence{"", ""} : store.target.target->persistence();
  }
};

const KeyTask task{"key"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::key
}  // namespace tierscope
