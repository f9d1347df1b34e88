/// Rows and planes of kernels on lines that work on a grid or a matrix.
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "bench/group.hpp"
#include "bench/tasks/line.hpp"

namespace tierscope {
namespace {

using kernels::ELEMENT;
using kernels::ELEMENTS;
using kernels::LINE;
using kernels::Operand;
using kernels::Place;

/// The operand that has rows, or nullptr.
const Operand* with_rows(const Group& group) {
  for (const auto& operand : group.entry->info->operands)
    if (operand.tiled() || operand.place == Place::grid2 || operand.place == Place::grid3) return &operand;
  return nullptr;
}

std::uint64_t square_side(std::uint64_t count) {
  auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(count)));
  while (side * side > count) --side;
  return side;
}
std::uint64_t cube_side(std::uint64_t count) {
  auto side = static_cast<std::uint64_t>(std::cbrt(static_cast<double>(count))) + 1;
  while (side * side * side > count) --side;
  return side;
}
/// Bytes of a number of elements, in whole lines.
std::uint64_t whole_lines(std::uint64_t elements) { return std::max(elements / ELEMENTS, std::uint64_t{1}) * LINE; }

Extent matrix(std::uint64_t tiles_across) {
  const auto row = tiles_across * LINE;
  return {row, tiles_across * ELEMENTS * row};
}
Extent grid(const Group& group, const Operand& operand, std::uint64_t row) {
  const auto elements = group.operations * ELEMENTS;
  if (operand.place == Place::grid2) {
    if (row == 0) row = whole_lines(square_side(elements));
    return {row, row};
  }
  const auto side = row == 0 ? cube_side(elements) : row / ELEMENT;
  if (row == 0) row = whole_lines(side);
  return {row, row * std::max(side, std::uint64_t{1})};
}

}  // namespace

Extent extent_of(const Group& group) {
  const auto* operand = with_rows(group);
  if (operand == nullptr) return {};
  const auto row = group.plan.of<Lines>().row;
  if (!operand->tiled()) return grid(group, *operand, row);
  const auto& member = group.members.front();
  return matrix(row == 0 ? square_side(member.end - member.begin) : row / LINE);
}

std::uint64_t whole_share(const Group& group, std::uint64_t each) {
  if (group.entry->info->draws != nullptr) return std::bit_floor(each);
  const auto* operand = with_rows(group);
  if (operand == nullptr) return each;
  const auto row = group.plan.of<Lines>().row;
  const auto lines = LINE * group.entry->info->lines();
  if (operand->tiled()) {
    const auto across = row == 0 ? square_side(each) : row / LINE;
    const auto tiles = across * across;
    if (each < tiles) refuse_footprint(group.plan, group.plan.of<Lines>().footprint, lines * tiles);
    return tiles == 0 ? 0 : each / tiles * tiles;
  }
  const auto plane = operand->place == Place::grid3 ? row * (row / ELEMENT) : row;
  const auto least = plane / LINE / group.plan.cpus.size();  // one plane of all members
  if (each < least) refuse_footprint(group.plan, group.plan.of<Lines>().footprint, lines * (least + 1));
  return each;
}

void check_row(const Group& group) {
  const auto row = group.plan.of<Lines>().row;
  constexpr std::uint64_t MOST = std::uint64_t{1} << 30U;  // the square of its elements cannot wrap
  if (row == 0) return;
  if (with_rows(group) == nullptr)
    throw BadPlan("kernel " + group.plan.kernel + " does not take row=; kernels on grids and matrices do");
  if (row % LINE != 0 || row > MOST)
    throw BadPlan("row=" + std::to_string(row) + " is not a multiple of 64 up to 1 GiB");
}

}  // namespace tierscope
