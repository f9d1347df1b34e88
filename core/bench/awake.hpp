/// Reads one byte of each page that a group uses, before blocks that come after a rest.
/// The host of a guest may take the translation of its pages away; the next access to such a page then takes an exit to
/// the host. On one guest each huge page lost it about once in two seconds, in use or not, and the next read took
/// 120 us. After eight seconds all had lost it. An array that was filled seconds ago is in this state. Without this
/// pass, the first blocks of a large footprint show the host's work and not the memory.
/// Blind to: pages that the host takes away while blocks run. A program meets those, too; the check `host_faults` of
/// the doctor estimates their share.
#pragma once
#include "bench/group.hpp"

namespace tierscope {

/// Seconds without a batch after which a member's pages are read again.
constexpr double RESTED_S = 0.1;

/// Reads a byte of each page of the member's part of the memories of its group.
void wake(const Group& group, std::size_t member, const Store& store) noexcept;

}  // namespace tierscope
