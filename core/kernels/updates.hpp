/// Random updates of a table, t[r] ^= r for a sequence of random integers r: the operation that GUPS counts.
/// Rules of HPCC, RandomAccess: 64-bit integers; a table of a power of two of them that begins as t[i] = i; each
/// element of the sequence read, changed and written; at most 1024 updates collected before they are done (here 8: one
/// of each part of the sequence); the table checked by doing the updates once more. HPCC does 4 updates for each
/// element of the table. Here a pass has as many as the table has elements, and there are as many passes as fit. Each
/// thread has a table of its own, as in HPCC's form that is called Star; a table of a few megabytes measures a cache.
/// The integers are made in vectors; the updates are done one by one, so none is lost. Source: P. Luszczek et al.,
/// "Introduction to the HPC Challenge Benchmark Suite", 2005.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::updates {

inline constexpr std::array<Operand, OPERANDS> TABLE{
    {{.lines = 1, .loads = true, .stores = true, .place = Place::drawn, .holds = Holds::numbers}}};

/// The functions of a sequence as a kernel states them.
template <class S>
inline constexpr Draws DRAWS{&S::start, &S::parts, &S::next, &S::element};

/// S: a sequence, which also has `steps<V>(words)`: the next words of some parts.
template <class V, class S>
struct Updating {
  static constexpr std::size_t WIDE = V::bytes / ELEMENT, VECTORS = ELEMENTS / WIDE;
  static std::uint64_t pass(Pass& its) noexcept {
    alignas(LINE) std::uint64_t words[ELEMENTS];
    auto* const bytes = reinterpret_cast<std::byte*>(words);
    auto* const table = its.operand[0] + its.cursor * LINE;
    const auto elements = its.nodes * ELEMENTS;
    S::parts(its.state, words);
    typename V::Words part[VECTORS];
    for (std::size_t v = 0; v < VECTORS; ++v) part[v] = V::words(bytes + v * V::bytes);
    for (auto left = (its.end - its.begin) * its.repeats; left > 0; --left) {
      unrolled<VECTORS>([&](auto v) __attribute__((always_inline)) {
        part[v] = S::template steps<V>(part[v]);
        V::store(bytes + v * V::bytes, part[v]);
      });
      unrolled<ELEMENTS>([&](auto i) __attribute__((always_inline)) {
        *reinterpret_cast<std::uint64_t*>(table + S::element(words[i], elements) * ELEMENT) ^= words[i];
      });
    }
    its.state = words[0];
    return 0;
  }
};

/// A 64-bit integer in each lane of any vector.
struct alignas(LINE) Lanes {
  std::uint64_t lane[ELEMENTS];
};
constexpr Lanes lanes(std::uint64_t word) noexcept { return {{word, word, word, word, word, word, word, word}}; }
template <class V>
[[gnu::always_inline]] inline typename V::Words everywhere(const Lanes& lanes) noexcept {
  return V::words(reinterpret_cast<const std::byte*>(lanes.lane));
}

}  // namespace tierscope::kernels::updates
