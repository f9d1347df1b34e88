#include "team/topology.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace tierscope::topology {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view HUGE_PAGES = "hugepages-";
constexpr unsigned HIGHEST = 8191;  // NR_CPUS of the largest kernels is 8192

std::string text(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Return `otherwise` for what is not a number, as "-1" of a kernel that does not know.
std::size_t number(const fs::path& path, std::size_t otherwise = 0) {
  const auto word = text(path);
  std::size_t value = 0;
  return std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc{} ? value : otherwise;
}

/// "105M", "2048K" -> bytes
std::size_t size(const std::string& word) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{}) return 0;
  const char unit = end < word.data() + word.size() ? *end : ' ';
  return value << (unit == 'K' ? 10U : unit == 'M' ? 20U : unit == 'G' ? 30U : 0U);
}

std::vector<unsigned> list_in(const fs::path& path) {
  try {
    return parse_list(text(path));
  } catch (const BadPlan&) {
    return {};
  }
}

Cpu read_cpu(const fs::path& root, unsigned number_, const std::set<unsigned>& allowed) {
  const auto its = root / ("sys/devices/system/cpu/cpu" + std::to_string(number_)), at = its / "topology";
  return {number_,
          static_cast<unsigned>(number(at / "core_id", number_)),
          static_cast<unsigned>(number(at / "physical_package_id")),
          0,
          allowed.contains(number_),
          static_cast<unsigned>(number(its / "cpu_capacity"))};
}

/// Number cores by their lowest CPU where `core_id` repeats in a package: many ARM kernels count cores again in each
/// cluster, and some x86-64 processors in each die, so that two cores would seem to be threads of one.
/// Source: Linux, drivers/base/arch_topology.c, parse_cluster; Documentation/admin-guide/cputopology.rst.
void tell_cores_apart(const fs::path& root, std::vector<Cpu>& cpus) {
  std::map<unsigned, std::vector<unsigned>> threads;
  std::map<std::pair<unsigned, unsigned>, unsigned> first;
  bool repeated = false;
  for (const auto& cpu : cpus) {
    const auto at = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu.number)) / "topology";
    auto& its = threads[cpu.number] = list_in(at / "thread_siblings_list");
    const auto [other, added] = first.try_emplace({cpu.package, cpu.core}, cpu.number);
    repeated |= !added && !its.empty() && std::ranges::count(its, other->second) == 0;
  }
  if (!repeated) return;
  for (auto& cpu : cpus)
    if (const auto& its = threads[cpu.number]; !its.empty()) cpu.core = its.front();
}

void read_caches(const fs::path& root, unsigned cpu, std::vector<Cache>& caches) {
  const auto all = root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "cache";
  for (unsigned index = 0; fs::exists(all / ("index" + std::to_string(index))); ++index) {
    const auto at = all / ("index" + std::to_string(index));
    Cache cache{static_cast<unsigned>(number(at / "level")),
                text(at / "type"),
                size(text(at / "size")),
                static_cast<unsigned>(number(at / "ways_of_associativity")),
                static_cast<unsigned>(number(at / "coherency_line_size")),
                list_in(at / "shared_cpu_list")};
    if (cache.cpus.empty()) cache.cpus = {cpu};
    if (cache.cpus.front() == cpu) caches.push_back(std::move(cache));
  }
}

/// "Node 0 MemTotal:  24630012 kB"
std::size_t node_memory(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string node, index, name, rest;
  std::size_t kib = 0;
  while (file >> node >> index >> name >> kib && std::getline(file, rest))
    if (name == key + ":") return kib * 1024;
  return 0;
}

Node read_node(const fs::path& root, unsigned number_) {
  const auto at = root / ("sys/devices/system/node/node" + std::to_string(number_));
  Node node{number_,
            list_in(at / "cpulist"),
            node_memory(at / "meminfo", "MemTotal"),
            node_memory(at / "meminfo", "MemFree"),
            {},
            {}};
  std::istringstream distances(text(at / "distance"));
  for (unsigned distance = 0; distances >> distance;) node.distances.push_back(distance);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(at / "hugepages", none)) {
    const auto name = entry.path().filename().string();  // hugepages-2048kB
    const auto page = name.starts_with(HUGE_PAGES) ? size(name.substr(HUGE_PAGES.size())) * 1024 : 0;
    if (page > 0) node.huge_pages[page] = number(entry.path() / "free_hugepages");
  }
  return node;
}

/// One node over everything, where the kernel was built without NUMA.
Node whole_machine(const fs::path& root, const std::vector<Cpu>& cpus) {
  Node node;
  std::ifstream meminfo(root / "proc/meminfo");
  std::string key, rest;
  for (std::size_t kib = 0; meminfo >> key >> kib && std::getline(meminfo, rest);) {
    if (key == "MemTotal:") node.memory_bytes = kib * 1024;
    if (key == "MemFree:") node.free_bytes = kib * 1024;
  }
  for (const auto& cpu : cpus) node.cpus.push_back(cpu.number);
  node.distances = {10};
  return node;
}

/// "3" or "0-3"; false if it is neither.
bool parse_range(const std::string& word, unsigned& first, unsigned& last) {
  const char* end = word.data() + word.size();
  auto parsed = std::from_chars(word.data(), end, first);
  last = first;
  if (parsed.ec == std::errc{} && parsed.ptr < end && *parsed.ptr == '-')
    parsed = std::from_chars(parsed.ptr + 1, end, last);
  return parsed.ec == std::errc{} && parsed.ptr == end && first <= last && last <= HIGHEST;
}

}  // namespace

std::vector<unsigned> parse_list(const std::string& list) {
  std::vector<unsigned> numbers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    unsigned first = 0, last = 0;
    if (!parse_range(word, first, last) || list.back() == ',')
      throw BadPlan("CPU list '" + list + "' is not of the form 0-3,8 (at most " + std::to_string(HIGHEST) + ")");
    for (unsigned n = first; n <= last; ++n) numbers.push_back(n);
  }
  return numbers;
}

Machine read(const fs::path& root, const std::vector<unsigned>& allowed) {
  Machine machine;
  const std::set<unsigned> may(allowed.begin(), allowed.end());
  auto online = list_in(root / "sys/devices/system/cpu/online");
  if (online.empty()) online = allowed;
  for (const unsigned cpu : online) {
    machine.cpus.push_back(read_cpu(root, cpu, may));
    read_caches(root, cpu, machine.caches);
  }
  tell_cores_apart(root, machine.cpus);
  for (const unsigned node : list_in(root / "sys/devices/system/node/online")) {
    machine.nodes.push_back(read_node(root, node));
    for (auto& cpu : machine.cpus)
      if (std::ranges::count(machine.nodes.back().cpus, cpu.number) > 0) cpu.node = node;
  }
  if (machine.nodes.empty()) machine.nodes.push_back(whole_machine(root, machine.cpus));
  return machine;
}

}  // namespace tierscope::topology
