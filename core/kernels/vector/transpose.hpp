/// Transposition, a[i][j] = b[j][i], in tiles of 8 rows by one line, which vectors turn in registers. Each thread has
/// its own square matrices: one as large as its slice, or several with rows of `row=` bytes.
/// Blind to: larger tiles, which would keep pages and sets of the caches longer; rows of a power of two meet in few
/// sets.
#pragma once
#include "kernels/walk.hpp"

namespace tierscope::kernels::transpose {
inline constexpr KernelInfo info{
    .name = "transpose",
    .summary = "a[i][j] = b[j][i]",
    .source = "R. F. Van der Wijngaart, T. G. Mattson, \"The Parallel Research Kernels\", HPEC 2014",
    .check = Check::replayed,
    .operands = {{{.lines = TILE_LINES, .stores = true, .place = Place::crossed},
                  {.lines = TILE_LINES, .loads = true, .place = Place::tile}}},
    .store = Store::plain,
    .has_nt = true};

template <class V>
struct Tile {
  Vectors<V> line[TILE_LINES];
};

template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static constexpr std::size_t WIDE = V::bytes / ELEMENT;  // reals of a vector, and rows of the squares that are turned
  /// A square of vectors goes from rows [down, down + WIDE) and vector `right` to the rows and the vector that cross
  /// them.
  template <std::size_t>
  [[gnu::always_inline]] static Tile<V> load(const State<V>& state, const At& at) noexcept {
    Tile<V> tile;
    unrolled<TILE_LINES / WIDE>([&](auto down) __attribute__((always_inline)) {
      unrolled<TILE_LINES / WIDE>([&](auto right) __attribute__((always_inline)) {
        typename V::Reals square[WIDE];
        unrolled<WIDE>([&](auto r) __attribute__((always_inline)) {
          square[r] = V::reals(at[1] + (down * WIDE + r) * state.row + right * V::bytes);
        });
        V::transpose(square);
        unrolled<WIDE>([&](auto r)
                           __attribute__((always_inline)) { tile.line[right * WIDE + r].part[down] = square[r]; });
      });
    });
    return tile;
  }
  [[gnu::always_inline]] static void store(const State<V>& state, const At& at, const Tile<V>& tile) noexcept {
    unrolled<TILE_LINES>([&](auto l)
                             __attribute__((always_inline)) { put<V, STORE>(at[0] + l * state.row, tile.line[l]); });
  }
};
}  // namespace tierscope::kernels::transpose
