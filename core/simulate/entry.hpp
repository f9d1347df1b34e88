/// What a cache knows of a line: its address, and in the bits below what state it is in; 0 is empty.
#pragma once
#include <cstdint>

namespace tierscope::simulate {

using Entry = std::uint64_t;
/// COMING: its data may be on their way. FETCHED: by a prefetch, and nobody asked for it yet.
constexpr Entry VALID = 1, DIRTY = 2, COMING = 4, FETCHED = 8;
constexpr Entry ADDRESS = ~Entry{63};
constexpr Entry KEY = ADDRESS | VALID;

/// Whether an access to `line` ends at once: the line is there, waits for nothing, and a store finds it written
/// already.
constexpr bool at_once(Entry seen, Entry line, bool store) noexcept {
  return store ? seen == (line | VALID | DIRTY) : (seen & ~DIRTY) == (line | VALID);
}

}  // namespace tierscope::simulate
