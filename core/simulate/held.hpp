/// A unit of data in a buffer of a DIMM.
#pragma once
#include <cstdint>

#include "simulate/access.hpp"

namespace tierscope::simulate {

struct Held {
  static constexpr std::uint64_t EMPTY = ~std::uint64_t{0};  // no key
  std::uint64_t key = EMPTY;
  Time ready = 0;           // when its data are present
  std::uint32_t dirty = 0;  // lines that the medium does not have yet, one bit each
};

}  // namespace tierscope::simulate
