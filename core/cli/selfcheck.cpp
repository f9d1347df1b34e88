#include "cli/selfcheck.hpp"

#include <optional>

#include "base/cpuid.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/task.hpp"
#include "cli/json.hpp"

namespace tierscope {
namespace {

using kernels::KernelEntry;
constexpr double TOLERANCE = 1e-15;  // a fused multiply-add rounds once, scalar code twice
constexpr std::uint64_t MOST_OPERATIONS = std::uint64_t{1} << 40U;  // 64 TiB of each operand: bytes cannot wrap

Words words_of(const KernelEntry& entry, const kernels::Shape& shape, const SelfCheck& what) {
  const auto granule = shape.granule();
  const auto operations = (what.operations + granule - 1) / granule * granule;
  const auto bytes = operations * std::max(1U, entry.info->lines()) * kernels::LINE;
  Words words{{"kernel", std::string(entry.kernel)}, {"isa", std::string(entry.isa)}, {"cpus", "0"}};
  words["seed"] = std::to_string(what.seed);
  if (entry.info->content != kernels::Content::nothing) words["footprint"] = std::to_string(bytes);
  if (shape != kernels::Shape{}) {
    words["streams"] = std::to_string(shape.streams);
    words["unroll"] = std::to_string(shape.unroll);
    words["interleave"] = std::to_string(shape.paged ? kernels::PAGE : 0);
    words["prefetch"] = shape.prefetch ? "512" : "0";
    words["prefetchw"] = shape.prefetch_write ? "1024" : "0";
  }
  return words;
}

/// Return the plan of a variant; nothing if this CPU cannot check its task and no kernel was named.
std::optional<GroupPlan> plan_of(const KernelEntry& entry, const Task& task, const kernels::Shape& shape,
                                 const SelfCheck& what) {
  auto words = words_of(entry, shape, what);
  try {
    task.prepare_check(words);
  } catch (const Unsupported&) {
    if (!what.kernel.empty()) throw;
    return std::nullopt;
  }
  GroupPlan plan;
  read_words(words, plan);
  return plan;
}

/// Fill, run the passes in one call, and compare all windows.
double error_of(const GroupPlan& plan, std::uint64_t passes) {
  Group group = make_group(plan);
  auto target = Registry<TargetEntry>::find("target", "node").make({"0", "4k"});
  const auto buffer = target->map(std::max<std::size_t>(group.bytes_needed(false), 1));
  place(group, buffer.bytes(), {});
  fill(group, 0, buffer.bytes());
  remember(group, 0);
  auto& member = group.members[0];
  const auto walked = passes * (member.end - member.begin);
  member.pass.begin = member.begin;
  member.pass.end = member.end;
  if (group.task->walks()) {
    member.pass.repeats = passes;
    member.done = walked;
  } else {
    member.pass.repeats = member.done = walked + 1;
  }
  group.variant.function(member.pass);
  return verify(group, 0);
}

}  // namespace

std::size_t selfcheck(const SelfCheck& what, const std::function<void(const std::string&)>& emit) {
  if (what.operations > MOST_OPERATIONS)
    throw BadPlan("operations=" + std::to_string(what.operations) + " is above " + std::to_string(MOST_OPERATIONS));
  std::size_t wrong = 0, tried = 0;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries()) {
    if (!what.kernel.empty() && entry->kernel != what.kernel) continue;
    if (!what.isa.empty() && entry->isa != what.isa) continue;
    if (!cpu::missing(entry->features).empty()) continue;
    const auto& task = Registry<Task>::find("operation", entry->info->operation);
    if (task.together()) continue;  // `check` after its blocks
    for (const auto& variant : entry->table()) {
      const auto plan = plan_of(*entry, task, variant.shape, what);
      if (!plan) break;
      const double error = error_of(*plan, what.passes);
      const bool right = error <= TOLERANCE;
      ++tried;
      wrong += right ? 0 : 1;
      emit(json::Object()
               .add("fact", "verdict")
               .add("kernel", entry->kernel)
               .add("isa", entry->isa)
               .add("streams", variant.shape.streams)
               .add("unroll", variant.shape.unroll)
               .add("interleave_bytes", variant.shape.paged ? kernels::PAGE : 0)
               .add("prefetch", variant.shape.prefetch)
               .add("prefetchw", variant.shape.prefetch_write)
               .add("largest_relative_error", error)
               .add("ok", right)
               .str());
    }
  }
  if (tried == 0)
    throw BadPlan("nothing to check: no kernel '" + what.kernel + "' on isa '" + what.isa + "' runs here");
  return wrong;
}

}  // namespace tierscope
