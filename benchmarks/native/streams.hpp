/// Orders of addresses in a footprint of 2^n bytes, for `walk` and `hierarchy` alike.
#pragma once
#include <cstdint>

/// Calls visit(offset) `count` times; `name` begins with s: one after the other, else at random (xorshift64 of
/// G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003).
template <class Visit>
void stream(const char* name, std::uint64_t count, std::uint64_t footprint, Visit visit) {
  const std::uint64_t mask = footprint - 8;
  if (*name == 's') {
    for (std::uint64_t i = 0; i < count; ++i) visit(i * 8 & mask);
    return;
  }
  std::uint64_t x = 88172645463325252U;
  for (std::uint64_t i = 0; i < count; ++i) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    visit(x & mask);
  }
}
