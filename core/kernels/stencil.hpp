/// The sum of an element and its neighbours, for stencils on any grid.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels {

/// Return the reals of a line and their neighbours: 8 bytes to both sides, a row before and behind, and a plane before
/// and behind if PLANES.
template <class V, bool PLANES>
[[gnu::always_inline]] inline typename V::Reals neighbours(const State<V>& state, const std::byte* at) noexcept {
  const auto pair = [at](std::uint64_t far)
                        __attribute__((always_inline)) { return V::add(V::reals(at - far), V::reals(at + far)); };
  const auto beside = V::add(V::reals_near(at - ELEMENT), V::reals_near(at + ELEMENT));
  const auto flat = V::add(V::add(beside, V::reals(at)), pair(state.row));
  if constexpr (PLANES)
    return V::add(flat, pair(state.plane));
  else
    return flat;
}

}  // namespace tierscope::kernels
