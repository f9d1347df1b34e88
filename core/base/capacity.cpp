#include "base/capacity.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "base/error.hpp"

namespace tierscope::capacity {
namespace {

std::optional<std::size_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // absent, or "max"
}

std::size_t available() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  std::size_t kib = 0;
  while (meminfo >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    std::getline(meminfo, unit);
  }
  return ~std::size_t{0};
}

/// Narrows `free` by one group's limit; file names differ between the versions of control groups.
void narrow(Free& free, const std::filesystem::path& group, const char* limit_file, const char* usage_file) {
  const auto limit = number_in(group / limit_file);
  const auto usage = number_in(group / usage_file);
  if (!limit || !usage) return;
  const auto left = *limit > *usage ? *limit - *usage : 0;
  if (left < free.bytes) free = {left, std::string(limit_file) + " of " + group.string()};
}

}  // namespace

Free memory() {
  Free free{available(), "MemAvailable"};
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const auto path = line.substr(line.rfind(':') + 1);
    const bool unified = line.starts_with("0::");
    if (!unified && line.find("memory") == std::string::npos) continue;
    const std::filesystem::path root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::filesystem::path group = path;; group = group.parent_path()) {
      const auto at = root / group.relative_path();
      unified ? narrow(free, at, "memory.max", "memory.current")
              : narrow(free, at, "memory.limit_in_bytes", "memory.usage_in_bytes");
      if (group == group.parent_path()) break;
    }
  }
  return free;
}

Free of_node(unsigned node, const std::filesystem::path& root) {
  const auto name = "node" + std::to_string(node);
  std::ifstream meminfo(root / "sys/devices/system/node" / name / "meminfo");  // "Node 0 MemFree:  24630012 kB"
  std::map<std::string, std::size_t> kib;
  std::string word, number, key, rest;
  for (std::size_t value = 0; meminfo >> word >> number >> key >> value && std::getline(meminfo, rest);)
    kib[key] = value;
  if (!kib.contains("MemFree:")) return {~std::size_t{0}, {}};
  const auto dropped = kib["FilePages:"] + kib["SReclaimable:"];
  return {(kib["MemFree:"] + dropped - std::min(dropped, kib["Shmem:"])) * 1024, name};
}

void require(std::size_t size_bytes, const Free& place) {
  auto free = memory();
  if (place.bytes < free.bytes) free = place;
  // 64 MiB remain for the system; page tables of the mapping itself take 1/512 of it with 4 KiB pages
  constexpr auto LEFT = std::size_t{64} << 20U;
  const auto most = free.bytes > LEFT ? (free.bytes - LEFT) / 513 * 512 : 0;
  if (size_bytes <= most) return;
  throw Unsupported("footprint of " + std::to_string(size_bytes >> 20U) +
                    " MiB is over the free memory: " + std::to_string(free.bytes >> 20U) + " MiB by " + free.limit +
                    "; ask for at most " + std::to_string(most >> 20U) + "MiB");
}

}  // namespace tierscope::capacity
