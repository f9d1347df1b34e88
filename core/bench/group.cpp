#include "bench/group.hpp"

#include <algorithm>
#include <sstream>

#include "base/cpuid.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "bench/keyed.hpp"
#include "bench/words.hpp"

namespace tierscope {
namespace {

using kernels::Content;
using kernels::Fence;
using kernels::KernelEntry;
using kernels::LINE;
using kernels::Operation;
using kernels::Order;

/// Describes a structure or a victim as a kernel, so that plans name both with one word. It checks its answer itself.
struct Task {
  KernelEntry entry{};
  kernels::KernelInfo info{};
};

std::shared_ptr<const KernelEntry> task_of(std::string_view name, Operation operation,
                                           kernels::Wait wait = kernels::Wait::none) {
  auto task = std::make_shared<Task>();
  auto& [entry, info] = *task;
  info.name = name;
  info.check = kernels::Check::recomputed;
  info.content = Content::nothing;
  info.operation = operation;
  info.wait = wait;
  entry = {name,
           name,
           "scalar",
           0,
           "",
           &info,
           kernels::Store::none,
           []() noexcept {
             static constexpr kernels::Variant only[]{{kernels::Shape{}, nullptr}};
             return kernels::Table(only);
           },
           []() noexcept { return kernels::Function{nullptr}; }};
  return {task, &entry};
}

/// A victim or a structure; nullptr if there is none of this name.
std::shared_ptr<const KernelEntry> find_task(std::string_view name) {
  for (const VictimEntry* victim : Registry<VictimEntry>::entries())
    if (victim->name == name)
      return task_of(victim->name, Operation::task,
                     victim->starts_processes ? kernels::Wait::processes : kernels::Wait::none);
  for (const StructureEntry* structure : Registry<StructureEntry>::entries())
    if (structure->name == name) return task_of(structure->name, Operation::key);
  return nullptr;
}

[[noreturn]] void unknown_kernel(const std::string& name) {
  std::string known;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries())
    if (entry->isa == "scalar") known += (known.empty() ? "" : ", ") + std::string(entry->kernel);
  for (const VictimEntry* victim : Registry<VictimEntry>::entries()) known += ", " + std::string(victim->name);
  for (const StructureEntry* structure : Registry<StructureEntry>::entries())
    known += ", " + std::string(structure->name);
  throw BadPlan("unknown kernel '" + name + "' (known: " + known + ")");
}

const kernels::Variant& find_variant(const KernelEntry& entry, const GroupPlan& plan) {
  const kernels::Shape wanted{plan.streams, plan.unroll, plan.interleave == kernels::PAGE, plan.prefetch > 0,
                              plan.prefetch_write > 0};
  if (entry.table().empty())
    throw Unsupported("kernel " + plan.kernel + " does not exist on " + std::string(entry.isa) +
                      ", which has no such store; take the plain kernel");
  std::string known;
  for (const auto& variant : entry.table()) {
    const auto& shape = variant.shape;
    if (shape == wanted) return variant;
    known += " streams=" + std::to_string(shape.streams) + ",unroll=" + std::to_string(shape.unroll) +
             (shape.paged ? ",interleave=4KiB" : "") + (shape.prefetch ? ",prefetch=N" : "") +
             (shape.prefetch_write ? ",prefetchw=N" : "");
  }
  throw BadPlan(std::string(entry.name) + " is not built for streams=" + std::to_string(plan.streams) +
                " unroll=" + std::to_string(plan.unroll) + " interleave=" + std::to_string(plan.interleave) +
                " prefetch=" + std::to_string(plan.prefetch) + " prefetchw=" + std::to_string(plan.prefetch_write) +
                "; it is built for" + known);
}

/// Operations per member: the footprint shared out, rounded down to what the variant can walk.
std::uint64_t share(const Group& group) {
  const auto& info = *group.entry->info;
  const auto members = group.plan.cpus.size();
  if (info.content == Content::nothing) return 1;
  if (info.operation == Operation::hop || info.operation == Operation::block) {
    const auto nodes = group.plan.footprint / (group.plan.element * info.lines()) / members;
    const auto window = group.plan.locality == 0 ? nodes : group.plan.locality / group.plan.element;
    return window == 0 ? 0 : nodes / window * window;
  }
  if (info.operation == Operation::handover) return group.plan.footprint / LINE;
  const auto granule = group.variant.shape.granule();
  return group.plan.footprint / (LINE * info.lines()) / members / granule * granule;
}

/// How many threads a group has: a command runs on all its CPUs at once, and one thread waits for it.
std::size_t threads_of(const GroupPlan& plan) { return plan.command.empty() ? plan.cpus.size() : 1; }

[[noreturn]] void refuse_footprint(const Group& group) {
  const auto& plan = group.plan;
  const auto lines = group.entry->info->lines();
  auto least = LINE * lines * group.variant.shape.granule();
  if (group.operation() == Operation::hop) least = std::max(plan.locality, plan.element);
  if (group.operation() == Operation::block) least = std::max(plan.locality, plan.element) * lines;
  throw BadPlan("footprint of " + std::to_string(plan.footprint) + " bytes is too small for kernel " + plan.kernel +
                " on " + std::to_string(plan.cpus.size()) + " CPUs in this shape; ask for at least " +
                std::to_string(plan.cpus.size() * least) + "B");
}

}  // namespace

std::uint64_t Group::footprint() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) sum += operations * stride(k);
  return entry->info->content == Content::nothing ? 0 : sum;
}

std::uint64_t Group::stride(std::size_t k) const noexcept {
  const bool elements = operation() == Operation::hop || operation() == Operation::block;
  return entry->info->operands[k].lines * (elements ? plan.element : LINE);
}

bool Group::on_source(std::size_t k) const noexcept {
  const auto& operand = entry->info->operands[k];
  return !plan.source.empty() && walks() && operand.loads && !operand.stores;
}

std::uint64_t Group::bytes_needed(bool source) const noexcept {
  if (entry->info->content == Content::nothing) return 0;
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k)
    if (entry->info->operands[k].lines > 0 && on_source(k) == source) sum += operations * stride(k) + plan.skew;
  return sum;
}

Order Group::order() const noexcept {
  const bool random = entry->info->drawn || operation() == Operation::hop;
  return entry->info->orders && plan.order ? *plan.order : random ? Order::random : Order::sequential;
}

Fence Group::fence() const noexcept { return plan.fence.value_or(entry->info->flushes ? Fence::chunk : Fence::never); }

std::uint64_t Group::window(const Member& member) const noexcept {
  return plan.locality == 0 ? member.end - member.begin : plan.locality / plan.element;
}

Cycle Group::cycle(const Member& member) const noexcept {
  return {member.end - member.begin, window(member), plan.seed, order() == Order::sequential};
}

std::uint64_t Group::first_state(std::size_t member) const noexcept {
  return operation() == Operation::block ? random_word(plan.seed, member) : plan.seed;
}

std::uint64_t Group::asked() const noexcept {
  if (operation() == Operation::hop) return entry->info->whole ? plan.element : LINE;
  if (operation() != Operation::block) return LINE;
  return plan.access == 0 ? plan.element : plan.access;
}

double Group::program_bytes() const noexcept { return entry->program_bytes() / LINE * static_cast<double>(asked()); }

double Group::bus_bytes() const noexcept {
  const double bytes = entry->bus_bytes();
  return bytes < 0 ? bytes : bytes / LINE * static_cast<double>(asked());
}

double Group::program_bytes(bool source) const noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const auto& operand = entry->info->operands[k];
    const unsigned times = (operand.loads ? 1 : 0) + (operand.stores ? 1 : 0);
    if (on_source(k) == source) sum += static_cast<double>(operand.lines * asked()) * times;
  }
  return sum;
}

std::string Group::content() const {
  std::ostringstream key;
  key << static_cast<int>(entry->info->content) << ' ' << plan.seed;
  if (entry->info->content == Content::cycle)
    key << ' ' << operations << ' ' << plan.element << ' ' << plan.locality << ' ' << static_cast<int>(order()) << ' '
        << members.size();
  if (updates()) key << " updated by " << plan.kernel;  // no other kernel starts from what it left
  return key.str();
}

std::shared_ptr<const KernelEntry> find_kernel(const GroupPlan& plan) {
  const KernelEntry* best = nullptr;
  const KernelEntry* seen = nullptr;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries()) {
    if (entry->kernel != plan.kernel || (!plan.isa.empty() && entry->isa != plan.isa)) continue;
    seen = entry;
    const bool runs = simulated(plan) || cpu::missing(entry->features).empty();
    if (runs && (best == nullptr || entry->rank > best->rank)) best = entry;
  }
  if (best != nullptr) return {std::shared_ptr<void>(), best};  // of the registry, which lasts
  if (auto task = find_task(plan.kernel); task != nullptr && plan.isa.empty()) return task;
  if (seen != nullptr)
    throw Unsupported("kernel " + std::string(seen->name) + " needs the CPU features " + cpu::missing(seen->features) +
                      ", which this CPU or its hypervisor does not offer; leave isa= away for the best that runs");
  if (!plan.isa.empty()) {
    GroupPlan any = plan;
    any.isa.clear();
    const auto entry = find_kernel(any);
    throw BadPlan("unknown isa '" + plan.isa + "' for kernel " + plan.kernel + "; here it runs on " +
                  std::string(entry->isa));
  }
  unknown_kernel(plan.kernel);
}

Group make_group(const GroupPlan& plan) {
  check_words(plan);
  Group group;
  group.plan = plan;
  group.entry = find_kernel(plan);
  group.plan.isa = group.entry->isa;
  group.variant = find_variant(*group.entry, plan);
  check_operation(group);
  const auto each = share(group);
  if (each == 0) refuse_footprint(group);
  const bool together = group.operation() == Operation::handover;  // both threads on the same lines
  const auto threads = threads_of(plan);
  group.operations = together ? each : each * threads;
  for (std::size_t m = 0; m < threads; ++m) {
    Member member;
    member.cpu = plan.cpus[m];
    member.begin = member.position = together ? 0 : m * each;
    member.end = together ? each : (m + 1) * each;
    member.block = plan.per_block;
    group.members.push_back(member);
  }
  return group;
}

std::unique_ptr<Victim> make_victim(const Group& group, std::size_t member, std::shared_ptr<KeyedTeam> team) {
  const auto& plan = group.plan;
  if (group.operation() == Operation::key) return std::make_unique<Keyed>(plan, member, std::move(team));
  const auto& entry = Registry<VictimEntry>::find("victim", plan.kernel);
  if (!entry.lacking.empty()) throw Unsupported("victim " + plan.kernel + ": " + std::string(entry.lacking));
  const std::vector<unsigned> own{group.members[member].cpu};
  return entry.make({plan.size, plan.command, plan.limit_s, plan.seed, plan.command.empty() ? own : plan.cpus});
}

}  // namespace tierscope
