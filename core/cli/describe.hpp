/// Facts as JSON: what this build holds, what this machine is, what a group really runs.
#pragma once
#include <string>

#include "bench/bench.hpp"

namespace tierscope::describe {

/// Kernels with their traffic, their ISAs and variants, and the targets. What cannot run stays, with the reason.
std::string catalogue();
/// CPUs, caches and nodes below `root`, and what the processor says of itself.
std::string topology(const std::string& root);
std::string hello();
std::string group(const Group& group, const Store& store);

}  // namespace tierscope::describe
