#include "bench/group.hpp"

#include <algorithm>

#include "base/cpuid.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/task.hpp"

namespace tierscope {
namespace {

using kernels::Content;
using kernels::KernelEntry;
using kernels::LINE;

const kernels::Variant& find_variant(const Group& group) {
  const auto& entry = *group.entry;
  const auto wanted = group.task->shape(group.plan);
  if (entry.table().empty())
    throw Unsupported("kernel " + group.plan.kernel + " does not exist on " + std::string(entry.isa) +
                      ", which does not have such a store; take the plain kernel");
  std::string known;
  for (const auto& variant : entry.table()) {
    const auto& shape = variant.shape;
    if (shape == wanted) return variant;
    known += " streams=" + std::to_string(shape.streams) + ",unroll=" + std::to_string(shape.unroll) +
             (shape.paged ? ",interleave=4KiB" : "") + (shape.prefetch ? ",prefetch=N" : "") +
             (shape.prefetch_write ? ",prefetchw=N" : "");
  }
  const auto facts = group.task->facts(group);
  throw BadPlan(std::string(entry.name) + " is not built for streams=" + std::to_string(facts.streams) +
                " unroll=" + std::to_string(facts.unroll) + " interleave=" + std::to_string(facts.interleave_bytes) +
                " prefetch=" + std::to_string(facts.prefetch_bytes) +
                " prefetchw=" + std::to_string(facts.prefetch_write_bytes) + "; it is built for" + known);
}

/// Makes the checks that every task needs. @throws BadPlan
void check_plan(const GroupPlan& plan) {
  constexpr std::uint64_t MOST_CYCLES = 1'000'000'000;  // of one pace: a third of a second, without interruption
  if (plan.cpus.empty()) throw BadPlan("group " + plan.kernel + " needs cpus=, for example cpus=0-1");
  auto sorted = plan.cpus;
  std::ranges::sort(sorted);
  if (!plan.shared && std::ranges::adjacent_find(sorted) != sorted.end())
    throw BadPlan("group " + plan.kernel + " names a CPU twice; shared=1 lets threads share it");
  if (plan.pace > MOST_CYCLES)
    throw BadPlan("pace=" + std::to_string(plan.pace) + " is above " + std::to_string(MOST_CYCLES) + " cycles");
  require_known(plan);
}

/// @throws BadPlan for a source that no operand would use
void check_source(const Group& group) {
  if (group.plan.source.empty()) return;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k)
    if (group.on_source(k)) return;
  throw BadPlan("kernel " + group.plan.kernel + " has no operand that is only read; remove source=");
}

}  // namespace

std::uint64_t Group::footprint() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) sum += operations * stride(k);
  return entry->info->content == Content::nothing ? 0 : sum;
}

std::uint64_t Group::stride(std::size_t k) const noexcept { return task->stride(*this, k); }

bool Group::on_source(std::size_t k) const noexcept { return !plan.source.empty() && task->from_source(*this, k); }

std::uint64_t Group::bytes_needed(bool source) const noexcept {
  if (entry->info->content == Content::nothing) return 0;
  const auto skew = task->skew(*this);
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k)
    if (entry->info->operands[k].lines > 0 && on_source(k) == source)
      sum += operations * stride(k) + skew + 2 * task->margin(*this, k);
  return sum;
}

double Group::program_bytes() const noexcept {
  if (const auto moved = task->moved(*this, false))
    return moved->program_bytes + task->moved(*this, true)->program_bytes;
  return entry->program_bytes() / LINE * static_cast<double>(task->asked(*this));
}

double Group::bus_bytes() const noexcept {
  if (const auto target = task->moved(*this, false)) {
    const auto source = task->moved(*this, true);
    return target->bus_bytes < 0 || source->bus_bytes < 0 ? -1 : target->bus_bytes + source->bus_bytes;
  }
  const double bytes = streams_stores && entry->owns() ? -1 : entry->bus_bytes();
  const auto asked = task->asked(*this), each = task->element(*this);
  if (bytes < 0 || line <= LINE) return bytes < 0 ? bytes : bytes / LINE * static_cast<double>(asked);
  const auto scattered = [](const auto& operand) { return operand.scattered(); };
  if (std::ranges::any_of(entry->info->operands, scattered)) return -1;  // the use of each line's elements is not known
  const auto unit = std::min<std::uint64_t>(line, each);
  const auto moved = asked == each ? asked : (asked + unit - 1) / unit * unit;
  return bytes / LINE * static_cast<double>(moved);
}

double Group::program_bytes(bool source) const noexcept {
  if (const auto moved = task->moved(*this, source)) return moved->program_bytes;
  double sum = 0;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const auto& operand = entry->info->operands[k];
    const unsigned times = (operand.loads ? 1 : 0) + (operand.stores ? 1 : 0);
    if (on_source(k) == source) sum += static_cast<double>(operand.lines * task->asked(*this)) * times;
  }
  return sum;
}

std::string Group::content() const {
  return std::to_string(static_cast<int>(entry->info->content)) + " " + std::to_string(plan.seed) +
         task->content(*this);
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
  if (auto found = plan.task == nullptr ? nullptr : plan.task->find(plan.kernel); found != nullptr && plan.isa.empty())
    return found;
  if (seen != nullptr)
    throw Unsupported("kernel " + std::string(seen->name) + " needs the CPU features " + cpu::missing(seen->features) +
                      ", which this CPU or its hypervisor does not offer; remove isa= to use the best that runs");
  if (!plan.isa.empty()) {
    GroupPlan any = plan;
    any.isa.clear();
    const auto entry = find_kernel(any);
    throw BadPlan("unknown isa '" + plan.isa + "' for kernel " + plan.kernel + "; here it runs on " +
                  std::string(entry->isa));
  }
  refuse_kernel(plan.kernel);
}

Group make_group(const GroupPlan& plan) {
  check_plan(plan);
  Group group;
  group.plan = plan;
  group.task = plan.task;
  group.line = std::max(LINE, cpu::line_bytes());
  static const bool streamed = cpu::streams_stores(cpu::family());
  group.streams_stores = streamed;
  group.entry = find_kernel(plan);
  group.plan.isa = group.entry->isa;
  group.variant = find_variant(group);
  group.task->check(group);
  check_source(group);
  const auto each = group.task->share(group);
  const bool together = group.task->together();
  const auto threads = group.task->threads(plan);
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

void refuse_footprint(const GroupPlan& plan, std::uint64_t footprint, std::uint64_t least) {
  throw BadPlan("footprint of " + std::to_string(footprint) + " bytes is too small for kernel " + plan.kernel + " on " +
                std::to_string(plan.cpus.size()) + " CPUs in this shape; ask for at least " +
                std::to_string(plan.cpus.size() * least) + "B");
}

namespace {

/// Places the operands. On each target, an operand starts after the one before it, shifted by `skew` so that equal
/// indices do not share a cache set.
void place_operands(Group& group, std::span<std::byte> target, std::span<std::byte> source) {
  const auto& info = *group.entry->info;
  const auto skew = group.task->skew(group);
  std::size_t offset[2]{};
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const bool apart = group.on_source(k);
    const auto margin = group.task->margin(group, k);
    for (auto& member : group.members)
      member.pass.operand[k] = (apart ? source : target).data() + offset[apart ? 1 : 0] + margin;
    if (group.task->walks() && info.operands[k].lines > 0)
      offset[apart ? 1 : 0] += group.operations * group.stride(k) + skew + 2 * margin;
  }
}

}  // namespace

void place(Group& group, std::span<std::byte> target, std::span<std::byte> source) {
  if (group.entry->info->content != Content::nothing) place_operands(group, target, source);
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    auto& member = group.members[m];
    member.pass.nodes = member.end - member.begin;
    member.pass.state = group.plan.seed;
    group.task->place(group, m);
  }
}

void fill(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept {
  group.task->fill(group, member, memory);
}

void stir(const Group& group, std::size_t member) noexcept {
  if (group.entry->info->content == Content::reals) group.task->stir(group, member);
}

void remember(Group& group, std::size_t member) {
  if (group.task->remembers(group)) group.task->remember(group, member);
}

double verify(const Group& group, std::size_t member) {
  if (group.entry->info->check == kernels::Check::none) return 0;
  return group.task->verify(group, group.members[member]);
}

}  // namespace tierscope
