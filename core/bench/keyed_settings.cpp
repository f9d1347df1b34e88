/// The location of a plan's structure.
#include <sys/statvfs.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/keyed.hpp"
#include "bench/tasks/key.hpp"
#include "recorded/recorder.hpp"

namespace tierscope {
namespace {

constexpr std::string_view OPEN = ",open";  // after the path of an existing pool
constexpr const char* MEMORY = "/dev/shm";
constexpr std::size_t BESIDE_KEY = 128;  // most bytes that a volatile structure adds to a key and its value

int node_of(const GroupPlan& plan) {
  int node = 0;
  const auto* const end = plan.where.data() + plan.where.size();
  if (!plan.where.empty() && std::from_chars(plan.where.data(), end, node).ptr != end)
    throw BadPlan("target node:" + plan.where + " does not name a node");
  return node;
}

/// Returns a name for a pool that exists as long as this process: in memory if there is enough space, else in the
/// folder of temporary files. One name is enough for all: each pool is unlinked before the next is made.
std::string pool_beside(std::size_t bytes) {
  struct statvfs room{};
  const bool fits =
      statvfs(MEMORY, &room) == 0 && access(MEMORY, W_OK) == 0 && std::size_t{room.f_bavail} * room.f_frsize > bytes;
  const char* const named = std::getenv("TMPDIR");
  const std::string folder = fits ? MEMORY : named != nullptr && *named != '\0' ? named : "/tmp";
  return folder + "/tierscope-" + std::to_string(getpid()) + ".pool";
}

[[noreturn]] void refuse_unrecorded(const GroupPlan& plan, const StructureEntry& entry) {
  throw BadPlan("structure " + plan.kernel + " on target=" + plan.target +
                " takes operation=get alone: " + std::string(entry.unrecorded) + "; try " +
                std::string(structures::RECORDED) + " for operation=" + plan.of<Keys>().operation);
}

}  // namespace

std::uint64_t Keyed::share(const GroupPlan& plan, std::size_t member) {
  return plan.of<Keys>().count * member / plan.cpus.size();
}

std::size_t Keyed::held_bytes(const GroupPlan& plan) {
  const auto& its = plan.of<Keys>();
  const auto& entry = Registry<StructureEntry>::find("structure", plan.kernel);
  if (!entry.persistent) return its.count * (BESIDE_KEY + its.value);
  const auto threads = its.sharing == "one" ? 1 : plan.cpus.size();
  return threads * entry.pool_bytes((its.count + threads - 1) / threads, its.value);
}

Keyed::Settings Keyed::settings_of(const GroupPlan& plan, std::size_t member, const Emulation& adds) {
  const auto& its = plan.of<Keys>();
  Settings made;
  made.entry = &Registry<StructureEntry>::find("structure", plan.kernel);
  const auto& entry = *made.entry;
  if (!entry.lacking.empty()) throw Unsupported("structure " + plan.kernel + ": " + std::string(entry.lacking));
  if (its.sharing != "own" && its.sharing != "one")
    throw BadPlan("sharing=" + its.sharing + " is not known (known: own, one)");
  made.one = its.sharing == "one";
  const auto own = share(plan, member + 1) - share(plan, member);
  if (own == 0)
    throw BadPlan("count=" + std::to_string(its.count) + " does not give a key to each of " +
                  std::to_string(plan.cpus.size()) + " threads; structures take count=, as count=100000");
  made.options = {.keys = made.one ? its.count : own, .value_bytes = its.value, .seed = plan.seed};
  structures::require_range(made.options);
  if (plan.target == "sim") {
    settle_simulated(plan, made);
    return made;
  }
  if (plan.target == "emu") {
    settle_emulated(plan, adds, made);
    return made;
  }
  if (!entry.persistent) {
    if (plan.target != "node")
      throw BadPlan("structure " + plan.kernel + " is in volatile memory; write target=node:N");
    made.node = node_of(plan);
    return made;
  }
  if (plan.target != "pool" || plan.where.empty())
    throw BadPlan("structure " + plan.kernel + " is in a pool of libpmemobj; write target=pool:PATH");
  made.kept = plan.where.ends_with(OPEN);
  made.options.path = made.kept ? plan.where.substr(0, plan.where.size() - OPEN.size()) : plan.where;
  made.options.make = made.options.unnamed = !made.kept;
  if (made.kept && !made.one && plan.cpus.size() > 1)
    throw BadPlan("pool " + made.options.path + " exists and contains one structure; write sharing=one for " +
                  std::to_string(plan.cpus.size()) + " threads, or leave out its ,open");
  return made;
}

/// For simulated memory the structure itself is real, in a pool or a heap of this process.
void Keyed::settle_simulated(const GroupPlan& plan, Settings& made) {
  const auto& its = plan.of<Keys>();
  const std::string lacking = recorded::lacking();
  if (!lacking.empty()) throw Unsupported("structure " + plan.kernel + " on target=sim is " + lacking);
  const auto mix = operations::parse_mix(its.operation);
  if (!made.entry->unrecorded.empty() && mix.changes()) refuse_unrecorded(plan, *made.entry);
  made.counted = true;
  if (!made.entry->persistent) return;
  made.options.path = pool_beside(made.entry->pool_bytes(made.options.keys, made.options.value_bytes));
  made.options.make = made.options.unnamed = true;
}

/// On an emulated tier loads wait. Flushes and fences would take the time of the plain memory, so pools take gets
/// alone.
void Keyed::settle_emulated(const GroupPlan& plan, const Emulation& adds, Settings& made) {
  const auto& its = plan.of<Keys>();
  const auto& entry = *made.entry;
  if (adds.bandwidth > 0)
    throw BadPlan("structure " + plan.kernel + " on target=emu takes latency= alone: operations have no bytes that a " +
                  "ceiling could count; remove bandwidth=");
  const std::string lacking = recorded::lacking();
  if (!lacking.empty()) throw Unsupported("structure " + plan.kernel + " on target=emu is " + lacking);
  if (operations::parse_mix(its.operation).changes()) {
    if (entry.persistent)
      throw BadPlan("structure " + plan.kernel + " on target=emu takes operation=get alone: its flushes and fences " +
                    "would not be delayed; try " + std::string(structures::RECORDED) +
                    " for operation=" + its.operation);
    if (!entry.unrecorded.empty()) refuse_unrecorded(plan, entry);
  }
  made.floor_s = adds.latency_floor_s;
  made.node = static_cast<int>(adds.node);
  if (!entry.persistent) return;
  const auto bytes = entry.pool_bytes(made.options.keys, made.options.value_bytes);
  made.options.path = pool_beside(bytes);
  made.options.make = made.options.unnamed = true;
  if (!made.options.path.starts_with(MEMORY))
    throw Unsupported("structure " + plan.kernel + " on target=emu: its pool needs " + std::to_string(bytes >> 20U) +
                      " MiB in " + MEMORY + ", which has less; give a smaller count=");
}

}  // namespace tierscope
