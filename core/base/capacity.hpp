/// How much memory may still be taken: of the system and of every control group above this process.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace tierscope::capacity {

struct Free {
  std::size_t bytes;
  std::string limit;  // who sets it: "MemAvailable", "memory.max of /a/b"
};

/// The least of MemAvailable and of each control group's memory.max - memory.current (version 1 and 2).
Free memory();
/// What one NUMA node can give: free pages and the cache that it may drop. More than it has would not come from
/// another node: the kernel ends the process. No limit where the node does not tell.
Free of_node(unsigned node, const std::filesystem::path& root = "/");
/// @throws Unsupported if less than `size_bytes` is free, in all or in `place`.
void require(std::size_t size_bytes, const Free& place = {~std::size_t{0}, {}});

}  // namespace tierscope::capacity
