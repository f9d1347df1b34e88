/// Victims: a block is one whole computation, on memory that it takes itself.
#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/own_kernel.hpp"
#include "bench/timed.hpp"

namespace tierscope::tasks::victim {
namespace {

struct Computation final : WorkOf<Computation> {
  std::string size;     // of an instance
  std::string command;  // of the victim `command`
  double limit_s = 0;   // of a command; 0: its own default
  std::string memory;   // of a command: node:N, whose memory it gets; "": any
  static std::span<const Key<Computation>> table();
};

std::span<const Key<Computation>> Computation::table() {
  static constexpr Key<Computation> KEYS[]{
      text_key<Computation, &Computation::size>("size"),
      {"command",
       [](Computation& its, const std::string& key, const std::string& word) {
         its.command = percent_decoded(key, word);
       },
       [](const Computation& its) { return percent_encoded(its.command); }},
      {"limit",
       [](Computation& its, const std::string& key, const std::string& word) {
         its.limit_s = parse_seconds(key, word);
       },
       [](const Computation& its) { return seconds_word(its.limit_s); }},
      text_key<Computation, &Computation::memory>("memory"),
  };
  return KEYS;
}

/// Returns the number of "node:N", -1 for "". @throws BadPlan for another word
int node_of(const Computation& its) {
  constexpr std::string_view NAME = "node:";
  if (its.memory.empty()) return -1;
  const auto number = its.memory.starts_with(NAME) ? its.memory.substr(NAME.size()) : "";
  if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
    throw BadPlan("memory=" + its.memory + " of a victim command: a node is needed, such as memory=node:1");
  if (its.command.empty()) throw BadPlan("memory=" + its.memory + " is for kernel command alone");
  return std::stoi(number);
}

class VictimTask final : public TaskOf<blocks::Whole> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Computation>(); }
  [[nodiscard]] std::shared_ptr<const kernels::KernelEntry> find(std::string_view kernel) const override {
    for (const VictimEntry* victim : Registry<VictimEntry>::entries())
      if (victim->name == kernel)
        return own_kernel(victim->name, name,
                          victim->starts_processes ? kernels::Wait::processes : kernels::Wait::none);
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return names_of(Registry<VictimEntry>::entries());
  }
  void check(const Group& group) const override {
    if (!group.plan.source.empty() || group.plan.target != "null")
      throw BadPlan("victim " + group.plan.kernel + " takes its own memory, on the node of its CPU; write target=null");
    node_of(group.plan.of<Computation>());
  }
  /// A command uses all its CPUs at the same time, and one thread waits for it.
  [[nodiscard]] std::size_t threads(const GroupPlan& plan) const override {
    return plan.of<Computation>().command.empty() ? plan.cpus.size() : 1;
  }
  [[nodiscard]] bool whole() const override { return true; }

  [[nodiscard]] std::unique_ptr<Victim> make(const Group& group, std::size_t member,
                                             std::shared_ptr<KeyedTeam>) const override {
    const auto& plan = group.plan;
    const auto& its = plan.of<Computation>();
    const auto& entry = Registry<VictimEntry>::find("victim", plan.kernel);
    if (!entry.lacking.empty()) throw Unsupported("victim " + plan.kernel + ": " + std::string(entry.lacking));
    const std::vector<unsigned> own{group.members[member].cpu};
    return entry.make(
        {its.size, its.command, its.limit_s, plan.seed, its.command.empty() ? own : plan.cpus, node_of(its)});
  }

  [[nodiscard]] double verify(const Group&, const Member& member) const override {
    return member.victim == nullptr ? WRONG : member.victim->check();
  }
};

const VictimTask task{"task"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tierscope::tasks::victim
