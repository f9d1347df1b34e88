#include "bench/group.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/cpuid.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"

namespace tierscope {
namespace {

using kernels::Content;
using kernels::KernelEntry;
using kernels::LINE;
using kernels::Operation;

/// Of one pace: a third of a second. A block cannot be interrupted.
constexpr std::uint64_t MOST_CYCLES = 1'000'000'000;

/// Every victim as a kernel, so that plans name both with one word.
const KernelEntry* find_task(std::string_view name) {
  struct Task {
    KernelEntry entry{};
    kernels::KernelInfo info{};
  };
  static std::map<std::string_view, Task> tasks;
  for (const VictimEntry* victim : Registry<VictimEntry>::entries()) {
    if (victim->name != name) continue;
    auto& [entry, info] = tasks[victim->name];
    info.name = victim->name;
    info.content = Content::nothing;
    info.operation = Operation::task;
    entry = {victim->name,
             victim->name,
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
    return &entry;
  }
  return nullptr;
}

[[noreturn]] void unknown_kernel(const std::string& name) {
  std::string known;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries())
    if (entry->isa == "scalar") known += (known.empty() ? "" : ", ") + std::string(entry->kernel);
  for (const VictimEntry* victim : Registry<VictimEntry>::entries()) known += ", " + std::string(victim->name);
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

void check_words(const GroupPlan& plan) {
  if (plan.cpus.empty()) throw BadPlan("group " + plan.kernel + " needs cpus=, for example cpus=0-1");
  auto sorted = plan.cpus;
  std::ranges::sort(sorted);
  if (!plan.shared && std::ranges::adjacent_find(sorted) != sorted.end())
    throw BadPlan("group " + plan.kernel + " names a CPU twice; shared=1 lets threads take turns on it");
  if (plan.interleave != 0 && plan.interleave != kernels::PAGE)
    throw BadPlan("interleave=" + std::to_string(plan.interleave) + " is not built; use 0 or 4KiB");
  if (plan.element == 0) throw BadPlan("element=0 is no multiple of 8 bytes, nor of a cache line (64)");
  if (plan.locality % plan.element != 0)
    throw BadPlan("locality=" + std::to_string(plan.locality) +
                  " is no multiple of element=" + std::to_string(plan.element));
  if (plan.pace > MOST_CYCLES)
    throw BadPlan("pace=" + std::to_string(plan.pace) + " is over " + std::to_string(MOST_CYCLES) + " cycles");
  if (plan.skew % LINE != 0) throw BadPlan("skew=" + std::to_string(plan.skew) + " is no multiple of 64");
}

/// What only some operations take. @throws BadPlan
void check_operation(const Group& group) {
  const auto& plan = group.plan;
  const std::uint64_t grain = group.operation() == Operation::block ? 8 : LINE;
  if (plan.element < grain || plan.element % grain != 0)
    throw BadPlan("element=" + std::to_string(plan.element) + " is no multiple of " +
                  (grain == LINE ? "a cache line (64)" : "8 bytes"));
  if (group.operation() == Operation::handover && plan.cpus.size() != 2)
    throw BadPlan("kernel handover runs on two CPUs, not on " + std::to_string(plan.cpus.size()));
  if (group.operation() == Operation::task && (!plan.source.empty() || plan.target != "null"))
    throw BadPlan("victim " + plan.kernel + " takes its own memory, on the node of its CPU; write target=null");
  const bool words = plan.fence != kernels::Fence::chunk || plan.drawn;
  if (words && !group.entry->info->flushes)
    throw BadPlan("kernel " + plan.kernel + " takes no fence= and no order=; they are for kernels named flush_...");
  if (group.entry->info->flushes && plan.element % LINE != 0)
    throw BadPlan("element=" + std::to_string(plan.element) + " is no multiple of a cache line (64), which is flushed");
  if (plan.source.empty()) return;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k)
    if (group.on_source(k)) return;
  throw BadPlan("kernel " + plan.kernel + " has no operand that is only read; leave source= away");
}

/// Operations per member: the footprint shared out, rounded down to what the variant can walk.
std::uint64_t share(const Group& group) {
  const auto& info = *group.entry->info;
  const auto members = group.plan.cpus.size();
  if (info.content == Content::nothing) return 1;
  if (info.operation == Operation::hop) {
    const auto nodes = group.plan.footprint / group.plan.element / members;
    const auto window = group.plan.locality == 0 ? nodes : group.plan.locality / group.plan.element;
    return window == 0 ? 0 : nodes / window * window;
  }
  if (info.operation == Operation::block) return group.plan.footprint / (group.plan.element * info.lines()) / members;
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
  if (group.operation() == Operation::block) least = plan.element * lines;
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

double Group::program_bytes() const noexcept {
  const double lines = entry->program_bytes() / LINE;
  return operation() == Operation::block ? lines * static_cast<double>(plan.element) : entry->program_bytes();
}

double Group::program_bytes(bool source) const noexcept {
  double sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const auto& operand = entry->info->operands[k];
    const unsigned times = (operand.loads ? 1 : 0) + (operand.stores ? 1 : 0);
    if (on_source(k) == source) sum += static_cast<double>(stride(k)) * times;
  }
  return sum;
}

std::string Group::content() const {
  std::ostringstream key;
  key << static_cast<int>(entry->info->content) << ' ' << plan.seed;
  if (entry->info->content == Content::cycle)
    key << ' ' << operations << ' ' << plan.element << ' ' << plan.locality << ' ' << members.size();
  return key.str();
}

const KernelEntry& find_kernel(const GroupPlan& plan) {
  const KernelEntry* best = nullptr;
  const KernelEntry* seen = nullptr;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries()) {
    if (entry->kernel != plan.kernel || (!plan.isa.empty() && entry->isa != plan.isa)) continue;
    seen = entry;
    if (cpu::missing(entry->features).empty() && (best == nullptr || entry->rank > best->rank)) best = entry;
  }
  if (best != nullptr) return *best;
  if (const auto* task = find_task(plan.kernel); task != nullptr && plan.isa.empty()) return *task;
  if (seen != nullptr)
    throw Unsupported("kernel " + std::string(seen->name) + " needs the CPU features " + cpu::missing(seen->features) +
                      ", which this CPU or its hypervisor does not offer; leave isa= away for the best that runs");
  if (!plan.isa.empty()) {
    GroupPlan any = plan;
    any.isa.clear();
    const auto& entry = find_kernel(any);
    throw BadPlan("unknown isa '" + plan.isa + "' for kernel " + plan.kernel + "; here it runs on " +
                  std::string(entry.isa));
  }
  unknown_kernel(plan.kernel);
}

Group make_group(const GroupPlan& plan) {
  check_words(plan);
  Group group;
  group.plan = plan;
  group.entry = &find_kernel(plan);
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

std::unique_ptr<Victim> make_victim(const Group& group, std::size_t member) {
  const auto& plan = group.plan;
  const auto& entry = Registry<VictimEntry>::find("victim", plan.kernel);
  if (!entry.lacking.empty()) throw Unsupported("victim " + plan.kernel + ": " + std::string(entry.lacking));
  const std::vector<unsigned> own{group.members[member].cpu};
  return entry.make({plan.size, plan.command, plan.limit_s, plan.seed, plan.command.empty() ? own : plan.cpus});
}

}  // namespace tierscope
