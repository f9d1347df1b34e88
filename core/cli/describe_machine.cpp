/// The machine, real or simulated, as JSON.
#include <algorithm>
#include <set>
#include <sstream>

#include "base/cpuid.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "cli/describe.hpp"
#include "cli/json.hpp"
#include "cli/simulated.hpp"
#include "targets/pages.hpp"
#include "team/topology.hpp"

namespace tierscope::describe {
namespace {

std::string cpu_text(const topology::Cpu& c) {
  json::Object text;
  text.add("number", c.number)
      .add("core", c.core)
      .add("package", c.package)
      .add("node", c.node)
      .add("allowed", c.allowed);
  if (c.capacity > 0) text.add("capacity", c.capacity);
  return text.str();
}

std::string node_text(const topology::Node& n) {
  return json::Object()
      .add("number", n.number)
      .add("cpus", n.cpus)
      .add("memory_bytes", n.memory_bytes)
      .add("free_bytes", n.free_bytes)
      .add("distances", n.distances)
      .raw("huge_pages", json::object(n.huge_pages))
      .str();
}

std::string cache_text(const topology::Cache& c) {
  return json::Object()
      .add("level", c.level)
      .add("kind", c.kind)
      .add("size_bytes", c.size_bytes)
      .add("ways", c.ways)
      .add("line_bytes", c.line_bytes)
      .add("cpus", c.cpus)
      .str();
}

/// Every feature that some kernel or ISA of the build asks for.
std::set<std::string> asked() {
  std::set<std::string> features;
  for (const kernels::KernelEntry* entry : Registry<kernels::KernelEntry>::entries()) {
    std::istringstream words{std::string(entry->features)};
    for (std::string feature; words >> feature;) features.insert(feature);
  }
  return features;
}

/// The features of the table that are present, then others that are asked for.
std::vector<std::string> present() {
  auto found = cpu::features();
  for (const auto& feature : asked())
    if (cpu::has(feature) && std::find(found.begin(), found.end(), feature) == found.end()) found.push_back(feature);
  return found;
}

}  // namespace

std::string topology(const std::string& root) {
  const auto machine = topology::read(root, sys::allowed_cpus());
  return json::Object()
      .add("architecture", cpu::architecture())
      .add("model", cpu::model())
      .add("family", cpu::family())
      .add("features", present())
      .add("hypervisor", cpu::hypervisor())
      .add("line_bytes", cpu::line_bytes())
      .add("zeroing_bytes", cpu::zeroing_bytes())
      .add("page_bytes", pages::sizes().base)
      .add("large_page_bytes", pages::sizes().transparent)
      .raw("cpus", json::list(machine.cpus, &cpu_text))
      .raw("nodes", json::list(machine.nodes, &node_text))
      .raw("caches", json::list(machine.caches, &cache_text))
      .str();
}

/// A simulated CPU runs every kernel that has a simulated form, so it has all features that any kernel asks for.
std::string simulated_topology(const std::string& word) {
  const simulate::Machine simulated(simulate::parse_place(word).machine);
  const auto machine = topology::of_simulated(simulated);
  const auto features = asked();
  return json::Object()
      .add("architecture", cpu::architecture())
      .add("model", "simulated: " + simulated.summary())
      .add("family", "sim:" + word)
      .add("features", std::vector<std::string>(features.begin(), features.end()))
      .add("hypervisor", "")
      .add("line_bytes", simulated.line_bytes())
      .add("page_bytes", machine.page_bytes)
      .add("large_page_bytes", machine.large_page_bytes)
      .raw("cpus", json::list(machine.cpus, &cpu_text))
      .raw("nodes", json::list(machine.nodes, &node_text))
      .raw("caches", json::list(machine.caches, &cache_text))
      .str();
}

}  // namespace tierscope::describe
