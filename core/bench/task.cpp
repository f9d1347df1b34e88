#include "bench/task.hpp"

#include <algorithm>

#include "base/registry.hpp"
#include "bench/content.hpp"
#include "bench/streams.hpp"
#include "bench/walked.hpp"

namespace tierscope {

std::uint64_t Task::stride(const Group& group, std::size_t k) const {
  return group.entry->info->operands[k].lines * element(group);
}

bool Task::from_source(const Group& group, std::size_t k) const {
  const auto& operand = group.entry->info->operands[k];
  return walks() && operand.loads && !operand.stores;
}

/// Random reals. Never zeros: a page of zeros may be shared, and constant data may be compressed on the way.
void Task::fill(const Group& group, std::size_t member, std::span<std::byte> memory) const noexcept {
  const auto part = part_of(group, member, memory);
  fill_reals(part, group.plan.seed, static_cast<std::uint64_t>(part.data() - memory.data()) / 8);
}

std::span<std::byte> part_of(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept {
  const auto pages = (memory.size() + kernels::PAGE - 1) / kernels::PAGE;
  const auto first = pages * member / group.members.size() * kernels::PAGE;
  const auto last = std::min(pages * (member + 1) / group.members.size() * kernels::PAGE, memory.size());
  return memory.subspan(first, last - first);
}

std::string Task::unsimulated(const kernels::KernelEntry&) const {
  return "it does not pass over memory: it is a call, a hand-over, a task or a structure";
}

std::unique_ptr<Stream> Task::stream(const Group&, std::size_t,
                                     const std::array<std::uint64_t, kernels::OPERANDS>&) const {
  return nullptr;
}

std::unique_ptr<SimulatedGroup> Task::simulate(const SimulatedPlace& place) const {
  return std::make_unique<WalkedGroup>(place);
}

const Task* task_of(std::string_view kernel) {
  for (const kernels::KernelEntry* entry : Registry<kernels::KernelEntry>::entries())
    if (entry->kernel == kernel) return &Registry<Task>::find("operation", entry->info->operation);
  for (const Task* task : Registry<Task>::entries())
    if (const auto names = task->names(); std::ranges::find(names, kernel) != names.end()) return task;
  return nullptr;
}

void refuse_kernel(const std::string& name) {
  std::string known;
  for (const kernels::KernelEntry* entry : Registry<kernels::KernelEntry>::entries())
    if (entry->isa == "scalar") known += (known.empty() ? "" : ", ") + std::string(entry->kernel);
  for (const Task* task : Registry<Task>::entries())
    for (const auto its : task->names()) known += ", " + std::string(its);
  throw BadPlan("unknown kernel '" + name + "' (known: " + known + ")");
}

}  // namespace tierscope
