#include "bench/group.hpp"

#include <algorithm>
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

[[noreturn]] void unknown_kernel(const std::string& name) {
  std::string known;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries())
    if (entry->isa == "scalar") known += (known.empty() ? "" : ", ") + std::string(entry->kernel);
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
  if (std::ranges::adjacent_find(sorted) != sorted.end()) throw BadPlan("group " + plan.kernel + " names a CPU twice");
  if (plan.interleave != 0 && plan.interleave != kernels::PAGE)
    throw BadPlan("interleave=" + std::to_string(plan.interleave) + " is not built; use 0 or 4KiB");
  if (plan.element < LINE || plan.element % LINE != 0)
    throw BadPlan("element=" + std::to_string(plan.element) + " is no multiple of a cache line (64)");
  if (plan.locality % plan.element != 0)
    throw BadPlan("locality=" + std::to_string(plan.locality) +
                  " is no multiple of element=" + std::to_string(plan.element));
  if (plan.pace > MOST_CYCLES)
    throw BadPlan("pace=" + std::to_string(plan.pace) + " is over " + std::to_string(MOST_CYCLES) + " cycles");
  if (plan.skew % LINE != 0) throw BadPlan("skew=" + std::to_string(plan.skew) + " is no multiple of 64");
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
  const auto granule = group.variant.shape.granule();
  return group.plan.footprint / (LINE * info.lines()) / members / granule * granule;
}

[[noreturn]] void refuse_footprint(const Group& group) {
  const auto& plan = group.plan;
  const bool hops = group.entry->info->operation == Operation::hop;
  const auto least =
      hops ? std::max(plan.locality, plan.element) : LINE * group.entry->info->lines() * group.variant.shape.granule();
  throw BadPlan("footprint of " + std::to_string(plan.footprint) + " bytes is too small for kernel " + plan.kernel +
                " on " + std::to_string(plan.cpus.size()) + " CPUs in this shape; ask for at least " +
                std::to_string(plan.cpus.size() * least) + "B");
}

}  // namespace

std::uint64_t Group::footprint() const noexcept {
  const auto& info = *entry->info;
  if (info.content == Content::nothing) return 0;
  return operations * (info.operation == Operation::hop ? plan.element : LINE * info.lines());
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
  const auto each = share(group);
  if (each == 0) refuse_footprint(group);
  group.operations = each * plan.cpus.size();
  for (std::size_t m = 0; m < plan.cpus.size(); ++m) {
    Member member;
    member.cpu = plan.cpus[m];
    member.begin = member.position = m * each;
    member.end = (m + 1) * each;
    group.members.push_back(member);
  }
  return group;
}

}  // namespace tierscope
