/// `sim`: memory that is only counted. It serves accesses, no bytes.
#pragma once
#include "bench/group.hpp"
#include "simulate/machine.hpp"

namespace tierscope {

/// What a group's facts tell of its place in a simulated memory.
Arena simulated_arena(const simulate::Machine& machine, unsigned region, const std::string& where, std::uint64_t bytes);

}  // namespace tierscope
