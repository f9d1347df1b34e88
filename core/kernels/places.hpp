/// The places of an operation's lines in an operand: one answer for the loop nest, the checks and the simulated form.
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::kernels {

/// Return the bytes from the operand's first one to the first line of tile number `operation`. Matrices of `plane`
/// bytes follow one another; their tiles are taken row by row.
[[gnu::always_inline]] inline std::uint64_t tile_at(const Operand& operand, std::uint64_t operation, std::uint64_t row,
                                                    std::uint64_t plane) noexcept {
  const auto across = row / LINE;
  const auto line = operation / across, column = operation % across;
  const auto matrix = line / across, down = line % across;
  const bool crossed = operand.place == Place::crossed;
  return matrix * plane + (crossed ? column : down) * TILE_LINES * row + (crossed ? down : column) * LINE;
}

/// Return the bytes before and behind an operand that its neighbours reach.
constexpr std::uint64_t margin(const Operand& operand, std::uint64_t row, std::uint64_t plane) noexcept {
  if (operand.place == Place::grid2) return row;
  return operand.place == Place::grid3 ? plane : 0;
}

/// Call `visit(bytes from the operand's first one)` for each line that an operation loads or stores there, and for both
/// lines of an unaligned vector. `element(i)`: number of the ith element, for scattered operands.
template <class Visit, class Element>
void each_line(const Operand& operand, std::uint64_t operation, std::uint64_t row, std::uint64_t plane, Visit visit,
               Element element) {
  const auto own = operation * LINE;
  switch (operand.place) {
    case Place::grid3:
      visit(own - plane), visit(own + plane);
      [[fallthrough]];
    case Place::grid2:
      for (const auto at : {own - LINE, own, own, own, own + LINE, own - row, own + row}) visit(at);
      break;
    case Place::tile:
    case Place::crossed:
      for (std::uint64_t l = 0; l < TILE_LINES; ++l) visit(tile_at(operand, operation, row, plane) + l * row);
      break;
    case Place::indexed:
    case Place::drawn:
      for (std::uint64_t i = 0; i < ELEMENTS; ++i) visit(element(i) * ELEMENT / LINE * LINE);
      break;
    case Place::lines:
      for (std::uint64_t l = 0; l < operand.lines; ++l) visit((operation * operand.lines + l) * LINE);
      break;
  }
}

}  // namespace tierscope::kernels
