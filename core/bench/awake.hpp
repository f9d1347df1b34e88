/// Reads one byte of each page that a group uses, before blocks that come after a rest.
/// A host that looks for idle pages of a guest takes the translation of such a page away, and the first access to it
/// then takes an exit to the host. On one guest every huge page that had rested for eight seconds took 120 us, and two
/// of three that had rested for one second. An array that was filled seconds ago is in this state. Without this pass,
/// the first blocks of a large footprint show the host's work and not the memory.
/// Blind to: pages that the host takes away while blocks run; a program meets those, too.
#pragma once
#include "bench/group.hpp"

namespace tierscope {

/// Seconds without a batch after which a member's pages are read again.
constexpr double RESTED_S = 0.1;

/// Reads a byte of each page of the member's part of the memories of its group.
void wake(const Group& group, std::size_t member, const Store& store) noexcept;

}  // namespace tierscope
