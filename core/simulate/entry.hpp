/// The entry of a line in a cache: its address, and its state in the bits below; 0 is empty.
#pragma once
#include <cstdint>

namespace tierscope::simulate {

using Entry = std::uint64_t;
/// COMING: its data may be on their way. FETCHED: a prefetch brought it, and no access has used it yet.
constexpr Entry VALID = 1, DIRTY = 2, COMING = 4, FETCHED = 8;
constexpr Entry ADDRESS = ~Entry{63};
constexpr Entry KEY = ADDRESS | VALID;

/// Return whether an access to `line` ends immediately: the line is present, waits for nothing, and a store finds it
/// written already.
constexpr bool at_once(Entry seen, Entry line, bool store) noexcept {
  return store ? seen == (line | VALID | DIRTY) : (seen & ~DIRTY) == (line | VALID);
}

}  // namespace tierscope::simulate
