/// Not recently used. A bit for each way states that it was used since all others were; one of the other ways is
/// replaced, each with the same probability. The policy is between lru and random: of a cycle that is slightly longer
/// than the ways, most lines stay. The second-level cache of the first machine that ran benchmarks/own_caches.py was
/// closer to this policy than to either. Source: H. Al-Zoubi, A. Milenkovic, M. Milenkovic, "Performance Evaluation of
/// Cache Replacement Policies for the SPEC CPU2000 Benchmark Suite", ACM Southeast Conference, 2004 (there PLRUm, which
/// takes the first way instead).
#pragma once
#include <bit>
#include <cstdint>

namespace tierscope::simulate {

/// `ways`: up to 64; `word`: the bits of a set, 0 for an empty one.
constexpr std::uint64_t nru_all(unsigned ways) noexcept { return ~std::uint64_t{0} >> (64 - ways); }
constexpr std::uint64_t nru_use(std::uint64_t word, unsigned way, unsigned ways) noexcept {
  const std::uint64_t own = std::uint64_t{1} << way;
  return (word | own) == nru_all(ways) ? own : word | own;
}
/// `draw`: 32 random bits.
constexpr unsigned nru_pick(std::uint64_t word, unsigned ways, std::uint64_t draw) noexcept {
  std::uint64_t others = ~word & nru_all(ways);
  for (auto skip = draw * static_cast<unsigned>(std::popcount(others)) >> 32U; skip > 0; --skip) others &= others - 1;
  return others == 0 ? 0 : static_cast<unsigned>(std::countr_zero(others));  // there is only one way
}

}  // namespace tierscope::simulate
