#include "targets/pages.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tierscope::pages {

std::size_t size_of(std::string_view word) {
  if (word == "4k") return BASE;
  if (word == "thp" || word == "2m") return HUGE;
  if (word == "1g") return GIGANTIC;
  throw BadPlan("unknown pages '" + std::string(word) + "' (known: 4k, thp, 2m, 1g)");
}

std::size_t free_huge_pages(std::size_t page_bytes, int node) {
  const std::string root = node < 0 ? "/sys/kernel/mm" : "/sys/devices/system/node/node" + std::to_string(node);
  std::ifstream file(root + "/hugepages/hugepages-" + std::to_string(page_bytes / 1024) + "kB/free_hugepages");
  std::size_t count = 0;
  return file >> count ? count : 0;
}

/// Adds what each mapping inside the range holds: huge by AnonHugePages, ShmemPmdMapped, FilePmdMapped or by its own
/// page size.
std::map<std::size_t, std::size_t> found(std::span<const std::byte> range) {
  const auto first = reinterpret_cast<std::uintptr_t>(range.data());
  const auto last = first + range.size();
  std::map<std::size_t, std::size_t> sizes;
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  std::size_t resident = 0, huge = 0, page = BASE;
  const auto close = [&] {
    if (inside && huge > 0) sizes[HUGE] += huge;
    if (inside && resident > huge) sizes[page] += resident - huge;
    resident = huge = 0;
    page = BASE;
  };
  while (std::getline(smaps, line)) {
    unsigned long from = 0, to = 0;
    char name[40] = {};
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
      close();
      inside = from < last && to > first;
    } else if (inside && std::sscanf(line.c_str(), "%39[A-Za-z_]: %llu kB", name, &kib) == 2) {
      const std::string_view key(name);
      if (key == "Rss") resident += kib * 1024;
      if (key == "Private_Hugetlb" || key == "Shared_Hugetlb") resident += kib * 1024;
      if (key == "AnonHugePages" || key == "ShmemPmdMapped" || key == "FilePmdMapped") huge += kib * 1024;
      if (key == "KernelPageSize") page = kib * 1024;
    }
  }
  close();
  return sizes;
}

}  // namespace tierscope::pages
