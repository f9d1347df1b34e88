/// How much memory may still be taken: of the system and of every control group above this process.
#pragma once
#include <cstddef>
#include <string>

namespace tierscope::capacity {

struct Free {
  std::size_t bytes;
  std::string limit;  // who sets it: "MemAvailable", "memory.max of /a/b"
};

/// The least of MemAvailable and of each control group's memory.max - memory.current (version 1 and 2).
Free memory();
/// @throws Unsupported if less than `size_bytes` is free.
void require(std::size_t size_bytes);

}  // namespace tierscope::capacity
