/// A unit that a buffer of a DIMM holds.
#pragma once
#include <cstdint>

#include "simulate/access.hpp"

namespace tierscope::simulate {

struct Held {
  static constexpr std::uint64_t EMPTY = ~std::uint64_t{0};  // no key
  std::uint64_t key = EMPTY;
  Time ready = 0;           // when what it holds is there
  std::uint32_t dirty = 0;  // what of it the medium does not have yet, a bit for each line
};

}  // namespace tierscope::simulate
