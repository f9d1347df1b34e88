#include "bench/words.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tierscope {
namespace {

using kernels::Fence;
using kernels::LINE;
using kernels::Operation;
using kernels::Order;

/// Of one pace: a third of a second. A block cannot be interrupted.
constexpr std::uint64_t MOST_CYCLES = 1'000'000'000;

/// What only kernels take that go in any order. @throws BadPlan
void check_order(const Group& group) {
  const auto& plan = group.plan;
  const auto& info = *group.entry->info;
  const bool block = info.operation == Operation::block;
  if (plan.order && !info.orders && (*plan.order != group.order() || info.operation == Operation::hop))
    throw BadPlan("kernel " + plan.kernel +
                  " takes no such order=; chase, chase_blocks, read_blocks and kernels named flush_... do");
  if (group.order() == Order::once && !block)
    throw BadPlan("order=once is for blocks, kernels read_blocks and flush_...; kernel " + plan.kernel +
                  " takes order=random or order=sequential");
  if (plan.access > 0 && !(info.orders && block))
    throw BadPlan("kernel " + plan.kernel + " takes no access=; read_blocks and kernels named flush_... do");
  if (plan.access % LINE != 0 || plan.access > plan.element)
    throw BadPlan("access=" + std::to_string(plan.access) +
                  " is no multiple of 64 up to element=" + std::to_string(plan.element));
  if (block && plan.locality > 0 && group.order() != Order::once)
    throw BadPlan("locality= of blocks is the region of order=once; leave it away or add order=once");
  if (block && info.orders && plan.element % LINE != 0)
    throw BadPlan("element=" + std::to_string(plan.element) + " is no multiple of a cache line (64), which is " +
                  (info.flushes ? "flushed" : "read"));
}

/// What only kernels take that flush, or that know regions. @throws BadPlan
void check_fence(const Group& group) {
  const auto& plan = group.plan;
  const auto& info = *group.entry->info;
  if (!plan.fence || *plan.fence == Fence::never) return;
  const bool regions = info.orders && info.operation == Operation::block;
  if (!info.flushes && !(regions && *plan.fence == Fence::region))
    throw BadPlan("kernel " + plan.kernel + " takes no such fence=; kernels named flush_... do" +
                  (regions ? ", and fence=region is for this one too" : ""));
  if (*plan.fence != Fence::region) return;
  if (group.order() != Order::once) throw BadPlan("fence=region needs the regions of order=once");
  if (info.flush == kernels::Flush::msync)
    throw BadPlan("kernel " + plan.kernel + " knows no fence=region: a call of it waits for itself; take fence=chunk");
}

}  // namespace

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
  if (group.operation() == Operation::key && !plan.source.empty())
    throw BadPlan("structure " + plan.kernel + " lies in one place; leave source= away");
  check_order(group);
  check_fence(group);
  if (plan.source.empty()) return;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k)
    if (group.on_source(k)) return;
  throw BadPlan("kernel " + plan.kernel + " has no operand that is only read; leave source= away");
}

}  // namespace tierscope
