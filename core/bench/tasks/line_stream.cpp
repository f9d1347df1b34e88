#include "bench/tasks/line_stream.hpp"

#include <algorithm>

#include "bench/tasks/line.hpp"
#include "kernels/walk.hpp"

namespace tierscope {

using kernels::LINE;
using kernels::OPERANDS;
using simulate::Access;
using simulate::Kind;

namespace {

/// Operations that a walk cuts into its parallel streams together: a block of a millisecond on a machine of today.
constexpr std::uint64_t CUT = 16384;

bool loads(const kernels::KernelInfo& info) {
  return std::ranges::any_of(info.operands, [](const auto& operand) { return operand.loads; });
}

}  // namespace

LineStream::LineStream(const Group& group, const Member& member, const Bases& bases)
    : Stream(group, member),
      bases_(bases),
      prefetch_(group.plan.of<Lines>().prefetch),
      prefetch_write_(group.plan.of<Lines>().prefetch_write),
      extent_(extent_of(group)),
      at_(begin_) {
  const auto indexed = [](const auto& operand) { return operand.place == kernels::Place::indexed; };
  if (std::ranges::any_of(info().operands, indexed)) indices_.emplace(group);
  rewind();
}

std::uint64_t LineStream::next(std::uint64_t wanted, std::vector<Access>& to) {
  std::uint64_t made = 0;
  do made += step(to);
  while (made < wanted);
  return made;
}

/// One step of the loop nest in core/kernels/walk.hpp.
std::uint64_t LineStream::step(std::vector<Access>& to) {
  const auto& shape = group_->variant.shape;
  if (off_ == stop_) {  // all streams are at their ends
    at_ = at_ == begin_ && off_ == begin_ ? at_ : at_ + shape.streams * distance_;
    if (at_ == cut_) {
      at_ = cut_ == end_ ? begin_ : cut_;
      const auto wanted = std::max<std::uint64_t>(CUT / shape.granule(), 1) * shape.granule();
      cut_ = std::min(at_ + wanted, end_);
    }
    distance_ = kernels::distance_of(shape, cut_ - at_);
    off_ = at_;
    stop_ = at_ + distance_;
  }
  const std::size_t all = std::size_t{shape.streams} * shape.unroll;
  const bool nt = group_->entry->store == kernels::Store::nt;
  const bool together = nt && loads(info()) && all % kernels::BATCH == 0;
  for (std::size_t first = 0; first < all; first += together ? kernels::BATCH : 1)
    operations(first, together ? kernels::BATCH : 1, to);
  off_ += shape.unroll;
  return all;
}

void LineStream::operations(std::size_t first, std::size_t count, std::vector<Access>& to) const {
  const auto unroll = group_->variant.shape.unroll;
  const auto each = [&](auto&& visit) {
    for (std::size_t i = first; i < first + count; ++i) visit(off_ + i / unroll * distance_ + i % unroll);
  };
  each([&](std::uint64_t operation) { fetch(operation, to); });
  const auto lines = [&](bool storing, std::uint64_t operation) {
    for (std::size_t k = 0; k < OPERANDS; ++k) {
      const auto& operand = info().operands[k];
      if (storing ? !operand.stores : !operand.loads) continue;
      kernels::each_line(
          operand, operation, extent_.row, extent_.plane,
          [&](std::uint64_t at) { to.push_back({bases_[k] + at, storing ? store_ : Kind::load, false}); },
          [&](std::uint64_t i) { return indices_->at(operation * kernels::ELEMENTS + i); });
    }
  };
  each([&](std::uint64_t operation) { lines(false, operation); });
  each([&](std::uint64_t operation) { lines(true, operation); });
}

void LineStream::fetch(std::uint64_t operation, std::vector<Access>& to) const {
  const auto& shape = group_->variant.shape;
  if (!shape.prefetch && !shape.prefetch_write) return;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto& operand = info().operands[k];
    if (operand.scattered()) continue;
    const bool tiled = operand.tiled();
    const auto first =
        tiled ? kernels::tile_at(operand, operation, extent_.row, extent_.plane) : operation * operand.lines * LINE;
    for (std::uint64_t l = 0; l < operand.lines; ++l) {
      const auto line = bases_[k] + first + l * (tiled ? extent_.row : LINE);
      if (shape.prefetch && operand.loads) to.push_back({line + prefetch_, Kind::prefetch, false});
      if (shape.prefetch_write && operand.stores) to.push_back({line + prefetch_write_, Kind::prefetch, false});
    }
  }
}

}  // namespace tierscope
