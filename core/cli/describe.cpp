#include "cli/describe.hpp"

#include <set>
#include <sstream>

#include "base/cpuid.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/streams.hpp"
#include "bench/task.hpp"
#include "cli/json.hpp"
#include "cli/names.hpp"
#include "cli/simulated.hpp"
#include "structures/structure.hpp"
#include "team/topology.hpp"

namespace tierscope::describe {
namespace {

using kernels::KernelEntry;

constexpr std::string_view EMULATOR = "TCGTCGTCGTCG";  // QEMU without hardware virtualisation

/// Negative if only a counter could show it.
std::string bus_bytes(double bytes) { return bytes < 0 ? "null" : json::value(bytes); }

std::string shape(const kernels::Shape& s) {
  return json::Object()
      .add("streams", s.streams)
      .add("unroll", s.unroll)
      .add("interleave_bytes", s.paged ? kernels::PAGE : 0)
      .add("prefetch", s.prefetch)
      .add("prefetchw", s.prefetch_write)
      .str();
}

std::string operand(const kernels::Operand& o) {
  return json::Object()
      .add("lines", o.lines)
      .add("loads", o.loads)
      .add("stores", o.stores)
      .add("place", name_of(o.place))
      .str();
}

std::string kernel(const KernelEntry& entry) {
  const auto lacking = cpu::missing(entry.features);
  std::vector<std::string> shapes, operands;
  if (lacking.empty())
    for (const auto& variant : entry.table()) shapes.push_back(shape(variant.shape));
  for (const auto& o : entry.info->operands)
    if (o.lines > 0) operands.push_back(operand(o));
  const bool available = lacking.empty() && !shapes.empty();
  static const bool streams = cpu::streams_stores(cpu::family());
  return json::Object()
      .add("kernel", entry.kernel)
      .add("isa", entry.isa)
      .add("rank", entry.rank)
      .add("available", available)
      .add("reason", lacking.empty() ? (available ? "" : "this ISA has no such store") : "this CPU lacks " + lacking)
      .add("summary", entry.info->summary)
      .add("source", entry.info->source)
      .add("store", name_of(entry.store))
      .add("flush", name_of(entry.info->flush))
      .add("flushes", entry.info->flushes)
      .add("needs", entry.info->needs)
      .add("operation", entry.info->operation)
      .add("check", name_of(entry.info->check))
      .add("unchecked", entry.info->unchecked)
      .add("simulated", no_simulated_form(entry).empty())
      .add("needs_memory", entry.info->content != kernels::Content::nothing)
      .add("program_bytes_per_operation", entry.program_bytes())
      .raw("bus_bytes_per_operation", bus_bytes(streams && entry.owns() ? -1 : entry.bus_bytes()))
      .add("flops_per_operation", entry.info->flops)
      .raw("operands", json::list(operands))
      .raw("shapes", json::list(shapes))
      .str();
}

std::string target(const TargetEntry& entry) {
  return json::Object()
      .add("name", entry.name)
      .add("available", entry.lacking.empty())
      .add("reason", entry.lacking)
      .add("word", entry.word)
      .add("summary", entry.summary)
      .add("held_in", entry.held_in)
      .str();
}

std::string preset(const simulate::Preset& entry) {
  return json::Object().add("name", entry.name).add("summary", entry.summary).add("source", entry.source).str();
}

std::string victim(const VictimEntry& entry) {
  return json::Object()
      .add("name", entry.name)
      .add("available", entry.lacking.empty())
      .add("reason", entry.lacking)
      .add("summary", entry.summary)
      .add("source", entry.source)
      .str();
}

std::string structure(const StructureEntry& entry) {
  return json::Object()
      .add("name", entry.name)
      .add("available", entry.lacking.empty())
      .add("reason", entry.lacking)
      .add("persistent", entry.persistent)
      .add("unrecorded", entry.unrecorded)
      .add("summary", entry.summary)
      .add("source", entry.source)
      .str();
}

/// Return the first origin of target and source that is not real; else the machine's. An emulator of instructions
/// states its name, and has neither caches nor distances.
std::string origin(const Store& store) {
  std::string its = store.target.target->origin();
  if (its == "real" && store.source.target != nullptr) its = store.source.target->origin();
  return its == "real" && cpu::hypervisor() == EMULATOR ? "emulated" : its;
}

/// Return what emulates or simulates, among all that `origin` looks at.
std::string origin_by(const Store& store) {
  std::string by = store.target.target->origin_by();
  const std::string source = store.source.target != nullptr ? store.source.target->origin_by() : "";
  if (source != by && !source.empty()) by += (by.empty() ? "source: " : "; source: ") + source;
  if (!by.empty()) return by;
  return cpu::hypervisor() == EMULATOR ? "QEMU TCG: the processor's instructions" : "";
}

/// Return the pages and nodes of the target's and the source's memory.
Placement both(const Store& store) {
  auto placement = store.target.placement;
  if (store.source.target == nullptr) return placement;
  const auto& source = store.source.placement;
  for (const auto& [size, bytes] : source.pages) placement.pages[size] += bytes;
  for (const auto& [node, bytes] : source.nodes) placement.nodes[node] += bytes;
  placement.how = "target: " + placement.how + "; source: " + source.how;
  return placement;
}

}  // namespace

std::string catalogue() {
  std::vector<std::string> kernels, targets, victims, structures;
  for (const KernelEntry* entry : Registry<KernelEntry>::entries()) kernels.push_back(kernel(*entry));
  for (const TargetEntry* entry : Registry<TargetEntry>::entries()) targets.push_back(target(*entry));
  for (const VictimEntry* entry : Registry<VictimEntry>::entries()) victims.push_back(victim(*entry));
  for (const StructureEntry* entry : Registry<StructureEntry>::entries()) structures.push_back(structure(*entry));
  return json::Object()
      .add("version", TIERSCOPE_VERSION)
      .add("compiler", TIERSCOPE_COMPILER)
      .raw("kernels", json::list(kernels))
      .raw("targets", json::list(targets))
      .raw("victims", json::list(victims))
      .raw("structures", json::list(structures))
      .raw("simulated", json::list(simulate::presets(), &preset))
      .raw("events", json::list(events()))
      .str();
}

std::string clock(bool simulated) {
  const auto& real = Clock::get();
  return json::Object()
      .add("source", simulated ? "simulated" : real.source())
      .add("hz", simulated ? simulate::TICKS_PER_S : real.hz())
      .add("resolution_s", simulated ? 1 / simulate::TICKS_PER_S : real.resolution())
      .add("read_cost_s", simulated ? 0.0 : real.read_cost())
      .str();
}

std::string hello() {
  return json::Object()
      .add("fact", "hello")
      .add("version", TIERSCOPE_VERSION)
      .add("compiler", TIERSCOPE_COMPILER)
      .raw("clock", clock(false))
      .str();
}

std::string group(const Group& g, const Store& store) {
  const auto placement = both(store);
  const auto persistence = g.task->persistence(g, store);
  const auto facts = g.task->facts(g);
  const auto emulation = store.target.target->emulation();
  std::size_t held = g.footprint();
  for (const auto& victim : store.victims) held += victim->memory_bytes();
  return json::Object()
      .add("kernel", g.plan.kernel)
      .add("isa", g.plan.isa)
      .add("store", name_of(g.entry->store))
      .add("streams", facts.streams)
      .add("unroll", facts.unroll)
      .add("prefetch_bytes", facts.prefetch_bytes)
      .add("prefetchw_bytes", facts.prefetch_write_bytes)
      .add("interleave_bytes", facts.interleave_bytes)
      .add("target", g.plan.where.empty() ? g.plan.target : g.plan.target + ":" + g.plan.where)
      .add("source", g.plan.source)
      .add("origin", origin(store))
      .add("origin_by", origin_by(store))
      .add("latency_floor_s", emulation.latency_floor_s)
      .add("ceiling_bytes_per_s", emulation.bandwidth)
      .add("cpus", g.plan.cpus)
      .add("footprint_bytes", held)
      .add("element_bytes", facts.element_bytes)
      .add("access_bytes", facts.access_bytes)
      .add("row_bytes", facts.row_bytes)
      .add("flops_per_operation", g.entry->info->flops)
      .raw("pages", json::object(placement.pages))
      .raw("nodes", json::object(placement.nodes))
      .add("placement", placement.how)
      .add("program_bytes_per_operation", g.program_bytes())
      .raw("bus_bytes_per_operation", bus_bytes(g.bus_bytes()))
      .add("source_bytes_per_operation", g.program_bytes(true))
      .add("operation", g.task->name)
      .add("waits", name_of(g.entry->info->wait))
      .add("persistence", persistence.domain)
      .add("persistence_how", persistence.how)
      .add("detail", store.victims.empty() ? "" : store.victims.front()->detail())
      .str();
}

std::string timing(const Timing& t) {
  return json::Object()
      .add("rounds", t.rounds)
      .add("operations", t.operations)
      .add("done", t.done)
      .add("ticks", t.ticks)
      .add("least_ticks", t.operations == 0 ? 0 : t.least_ticks)
      .add("most_ticks", t.most_ticks)
      .add("rehashes", t.rehashes)
      .add("moved", t.moved)
      .add("rehash_ticks", t.rehash_ticks)
      .add("lock_ticks", t.lock_ticks)
      .add("fills", t.fills)
      .add("fill_ticks", t.fill_ticks)
      .add("clock_ticks", t.clock_ticks)
      .add("lines_read", t.lines.read)
      .add("lines_written", t.lines.written)
      .add("lines_flushed", t.lines.flushed)
      .add("fences", t.lines.fences)
      .add("delayed_loads", t.waits)
      .add("histogram", t.histogram.text())
      .str();
}

}  // namespace tierscope::describe
