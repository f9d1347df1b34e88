/// The machine as sysfs shows it: CPUs, caches, NUMA nodes. Plain data; the border prints it.
/// Source: Linux, Documentation/admin-guide/cputopology.rst, Documentation/ABI/stable/sysfs-devices-node.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tierscope::topology {

struct Cpu {
  unsigned number = 0, core = 0, package = 0, node = 0;
  bool allowed = true;
  unsigned capacity = 0;  // cpu_capacity, of 1024 for the largest core; 0: the kernel states none
};

struct Cache {
  unsigned level = 0;
  std::string kind;
  std::size_t size_bytes = 0;
  unsigned ways = 0, line_bytes = 0;
  std::vector<unsigned> cpus;
};

struct Node {
  unsigned number = 0;
  std::vector<unsigned> cpus;
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::vector<unsigned> distances;
  std::map<std::size_t, std::size_t> huge_pages;  // page bytes -> free pages
};

struct Machine {
  std::vector<Cpu> cpus;
  std::vector<Node> nodes;
  std::size_t page_bytes = 0, large_page_bytes = 0;  // the smallest pages; transparent large ones, 0: none
  std::vector<Cache> caches;                         // each once, however many CPUs share it
};

/// "0-3,8" -> 0 1 2 3 8; an empty text is an empty list. @throws BadPlan above 8191, the last CPU of any kernel
std::vector<unsigned> parse_list(const std::string& text);
/// `root` is "/" or a recorded tree.
Machine read(const std::filesystem::path& root, const std::vector<unsigned>& allowed);

}  // namespace tierscope::topology
