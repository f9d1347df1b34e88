/// A memory made from its section: `kind`, and `ways` of it side by side that alternate every `grain` bytes, in the
/// plain or a hashed `order`.
#pragma once
#include "simulate/memory.hpp"

namespace tierscope::simulate {

/// @throws BadPlan naming the key
std::unique_ptr<Memory> make_memory_of(const Section& section, std::uint64_t seed);

}  // namespace tierscope::simulate
