/// `sim`: memory that is only simulated. It serves accesses, no bytes.
#pragma once
#include "bench/group.hpp"
#include "simulate/machine.hpp"

namespace tierscope {

/// Returns the facts of a group about its place in a simulated memory.
Arena simulated_arena(const simulate::Machine& machine, unsigned region, const std::string& where, std::uint64_t bytes);

}  // namespace tierscope
