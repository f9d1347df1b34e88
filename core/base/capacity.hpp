/// The memory that may still be allocated, by the system and by every control group above this process.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace tierscope::capacity {

struct Free {
  std::size_t bytes;
  std::string limit;  // what sets the limit: "MemAvailable", "memory.max of /a/b"
};

/// Returns the least of MemAvailable and of each control group's memory.max - memory.current (version 1 and 2).
Free memory();
/// Returns what one NUMA node can provide: free pages and the cache that it may drop. If a process needs more, the
/// kernel does not take pages of another node: it ends the process. No limit if the node reports none.
Free of_node(unsigned node, const std::filesystem::path& root = "/");
/// @throws Unsupported if less than `size_bytes` is free, in total or in `place`.
void require(std::size_t size_bytes, const Free& place = {~std::size_t{0}, {}});

}  // namespace tierscope::capacity
