/// An access of one line as one 8-byte value, for lists of many: the address of the line, and in the bits below it what
/// is done to it.
#pragma once
#include "simulate/entry.hpp"

namespace tierscope::simulate {

using Touch = std::uint64_t;
/// With none of them, a load. BACK: a dirty line that the level before replaced.
constexpr Touch BACK = 16, STORE = 32;

constexpr Touch load_of(std::uint64_t address) noexcept { return address & ADDRESS; }
constexpr Touch store_of(std::uint64_t address) noexcept { return (address & ADDRESS) | STORE; }

}  // namespace tierscope::simulate
