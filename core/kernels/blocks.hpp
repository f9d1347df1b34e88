/// The order in which a kernel takes the blocks of its slice: one after the other; drawn at random; or region after
/// region, each block of a region once in a random order. The last order needs no memory: the n-th block is known in
/// closed form.
/// Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS: fresh regions,
/// each line visited once, so that caches of the processor do not hide the memory's own buffers).
#pragma once
#include <algorithm>
#include <array>

#include "base/shuffle.hpp"
#include "kernels/bytes.hpp"

namespace tierscope::kernels::blocks {

/// Return the order of one region: it differs for each region and seed.
inline Shuffle order_of(std::uint64_t region, std::uint64_t blocks, std::uint64_t seed) noexcept {
  return {blocks, mixed(seed ^ ~region)};
}
/// Return the block that step `step` of the slice visits, counted from its first, in regions of `blocks` blocks.
inline std::uint64_t once(std::uint64_t step, std::uint64_t blocks, std::uint64_t seed) noexcept {
  const auto region = step / blocks;
  return region * blocks + order_of(region, blocks, seed).at(step % blocks);
}

/// Visit steps [begin, end) of the slice. A region that the call before began is completed first.
template <class Visit, class Ended>
[[gnu::always_inline]] inline void walk_regions(const Pass& pass, Visit visit, Ended ended) noexcept {
  const auto size = pass.element;
  const auto blocks = pass.region;
  auto left = pass.end - pass.begin;
  auto region = (pass.begin - pass.cursor) / blocks;
  auto step = (pass.begin - pass.cursor) % blocks;
  auto* base = pass.operand[0] + (pass.cursor + region * blocks) * size;
  for (; left > 0; ++region, base += blocks * size, step = 0) {
    const auto order = order_of(region, blocks, pass.state);
    const auto stop = std::min(blocks, step + left);
    left -= stop - step;
    while (step < stop) {
      std::array<std::uint64_t, Shuffle::MOST> places;
      const auto some = std::min<std::uint64_t>(stop - step, places.size());
      order.at(step, {places.data(), some});
      for (std::uint64_t i = 0; i < some; ++i) visit(base + places[i] * size);
      step += some;
    }
    if (stop == blocks) ended();
  }
}

/// Call `visit(first byte)` for each block of the pass in its order, and `ended()` behind the last of each region.
template <class Visit, class Ended>
[[gnu::always_inline]] inline void walk(Pass& pass, Visit visit, Ended ended) noexcept {
  const auto size = pass.element;
  switch (pass.order) {
    case Order::sequential:
      for (std::uint64_t r = 0; r < pass.repeats; ++r)
        for (auto n = pass.begin; n < pass.end; ++n) visit(pass.operand[0] + n * size);
      break;
    case Order::random: {
      auto* const base = pass.operand[0] + pass.cursor * size;
      for (auto left = (pass.end - pass.begin) * pass.repeats; left > 0; --left) {
        pass.state = bytes::next_draw(pass.state);
        visit(base + bytes::drawn(pass.state, pass.nodes) * size);
      }
      break;
    }
    case Order::once:
      for (std::uint64_t r = 0; r < pass.repeats; ++r) walk_regions(pass, visit, ended);
      break;
  }
}

}  // namespace tierscope::kernels::blocks
