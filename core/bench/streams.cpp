#include "bench/streams.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/task.hpp"
#include "kernels/places.hpp"

namespace tierscope {
namespace {

using simulate::Kind;

Kind store_of(kernels::Store store) {
  return store == kernels::Store::plain || store == kernels::Store::none ? Kind::store : Kind::store_nt;
}

/// Lines of this operand that one operation touches.
std::uint64_t touches(const kernels::Operand& operand) {
  std::uint64_t count = 0;
  if (operand.lines > 0)
    kernels::each_line(operand, 0, kernels::LINE, kernels::LINE, [&](auto) { ++count; }, [](auto) { return 0U; });
  return count;
}

}  // namespace

std::uint64_t Task::accesses(const Group& group) const {
  std::uint64_t lines = 0;
  for (const auto& operand : group.entry->info->operands)
    lines += touches(operand) * ((operand.loads ? 1U : 0U) + (operand.stores ? 1U : 0U));
  return lines * asked(group) / kernels::LINE;
}

std::string no_simulated_stores(const kernels::KernelEntry& entry) {
  if (entry.store == kernels::Store::string || entry.store == kernels::Store::libc)
    return "a library or microcode decides how its bytes go";
  if (entry.info->flush == kernels::Flush::msync) return "it is a system call on a file";
  return "";
}

std::string no_simulated_form(const kernels::KernelEntry& entry) {
  return Registry<Task>::find("operation", entry.info->operation).unsimulated(entry);
}

Stream::Stream(const Group& group, const Member& member)
    : group_(&group),
      begin_(member.begin),
      end_(member.end),
      store_(store_of(group.entry->store)),
      accesses_(group.task->accesses(group)) {}

std::unique_ptr<Stream> make_stream(const Group& group, std::size_t member, const Bases& bases) {
  const auto why = group.task->unsimulated(*group.entry);
  if (!why.empty())
    throw Unsupported("kernel " + group.plan.kernel + " has no simulated form: " + why +
                      "; take a kernel that walks, such as read, copy, chase or flush_clwb");
  return group.task->stream(group, member, bases);
}

}  // namespace tierscope
