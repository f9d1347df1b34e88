#include "bench/streams.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "kernels/blocks.hpp"
#include "kernels/walk.hpp"

namespace tierscope {
namespace {

using kernels::LINE;
using kernels::OPERANDS;
using kernels::Operation;
using simulate::Access;
using simulate::Kind;

/// Operations that a walk cuts into its parallel streams at once: a block of a millisecond on a machine of today.
constexpr std::uint64_t CUT = 16384;

/// @throws Unsupported
Kind store_of(const Group& group) {
  const std::string why = no_simulated_form(*group.entry);
  if (!why.empty())
    throw Unsupported("kernel " + group.plan.kernel + " has no simulated form: " + why +
                      "; take a kernel that walks, such as read, copy, chase or flush_clwb");
  const auto store = group.entry->store;
  return store == kernels::Store::plain || store == kernels::Store::none ? Kind::store : Kind::store_nt;
}

bool loads(const kernels::KernelInfo& info) {
  return std::ranges::any_of(info.operands, [](const auto& operand) { return operand.loads; });
}

Cycle cycle_of(const Group& group, const Member& member) {
  return group.operation() == Operation::hop ? group.cycle(member) : Cycle(1, 0, 0);
}

/// How a line is written back, if it is.
std::optional<Kind> flush_of(kernels::Flush flush) {
  switch (flush) {
    case kernels::Flush::clflush:
      return Kind::clflush;
    case kernels::Flush::clflushopt:
      return Kind::clflushopt;
    case kernels::Flush::clwb:
      return Kind::clwb;
    case kernels::Flush::none:
    case kernels::Flush::msync:
      break;
  }
  return {};
}

}  // namespace

const char* no_simulated_form(const kernels::KernelEntry& entry) {
  switch (entry.info->operation) {
    case Operation::line:
    case Operation::hop:
    case Operation::block:
      break;
    case Operation::call:
    case Operation::handover:
    case Operation::task:
    case Operation::key:
      return "it is no walk over memory, but a call, a hand-over, a task or a structure";
  }
  if (entry.store == kernels::Store::string || entry.store == kernels::Store::libc)
    return "a library or microcode decides how its bytes go";
  if (entry.info->flush == kernels::Flush::msync) return "it is a system call on a file";
  return "";
}

Stream::Stream(const Group& group, std::size_t member, const std::array<std::uint64_t, OPERANDS>& bases)
    : group_(&group),
      bases_(bases),
      begin_(group.members[member].begin),
      end_(group.members[member].end),
      window_(group.window(group.members[member])),
      first_state_(group.first_state(member)),
      at_(begin_),
      store_(store_of(group)),
      cycle_(cycle_of(group, group.members[member])) {
  rewind();
}

void Stream::rewind() {
  done_ = 0;
  state_ = first_state_;
  at_ = off_ = stop_ = cut_ = begin_;
  region_ = ~std::uint64_t{0};
}

std::uint64_t Stream::accesses() const noexcept {
  const auto& info = *group_->entry->info;
  std::uint64_t lines = 0;
  for (const auto& operand : info.operands)
    lines += operand.lines * ((operand.loads ? 1U : 0U) + (operand.stores ? 1U : 0U));
  return lines * group_->asked() / LINE;
}

std::uint64_t Stream::next(std::uint64_t wanted, std::vector<Access>& to) {
  std::uint64_t made = 0;
  while (made < std::max<std::uint64_t>(wanted, 1)) {
    switch (group_->operation()) {
      case Operation::line:
        made += step_lines(to);
        break;
      case Operation::hop:
        hop(to);
        ++made;
        break;
      default:
        block(to);
        ++made;
    }
  }
  done_ += made;
  return made;
}

/// One step of the loop nest in core/kernels/walk.hpp.
std::uint64_t Stream::step_lines(std::vector<Access>& to) {
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
  const bool together = nt && loads(*group_->entry->info) && all % kernels::BATCH == 0;
  for (std::size_t first = 0; first < all; first += together ? kernels::BATCH : 1)
    operations(off_, distance_, first, together ? kernels::BATCH : 1, to);
  off_ += shape.unroll;
  return all;
}

void Stream::operations(std::uint64_t from, std::uint64_t distance, std::size_t first, std::size_t count,
                        std::vector<Access>& to) const {
  const auto& info = *group_->entry->info;
  const auto unroll = group_->variant.shape.unroll;
  const auto each = [&](auto&& visit) {
    for (std::size_t i = first; i < first + count; ++i) visit(from + i / unroll * distance + i % unroll);
  };
  each([&](std::uint64_t operation) { fetch(operation, to); });
  const auto lines = [&](bool storing, std::uint64_t operation) {
    for (std::size_t k = 0; k < OPERANDS; ++k) {
      const auto& operand = info.operands[k];
      if (storing ? !operand.stores : !operand.loads) continue;
      for (std::uint64_t l = 0; l < operand.lines; ++l)
        to.push_back({bases_[k] + (operation * operand.lines + l) * LINE, storing ? store_ : Kind::load, false});
    }
  };
  each([&](std::uint64_t operation) { lines(false, operation); });
  each([&](std::uint64_t operation) { lines(true, operation); });
}

void Stream::fetch(std::uint64_t operation, std::vector<Access>& to) const {
  const auto& shape = group_->variant.shape;
  if (!shape.prefetch && !shape.prefetch_write) return;
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const auto& operand = group_->entry->info->operands[k];
    for (std::uint64_t l = 0; l < operand.lines; ++l) {
      const auto line = bases_[k] + (operation * operand.lines + l) * LINE;
      if (shape.prefetch && operand.loads) to.push_back({line + group_->plan.prefetch, Kind::prefetch, false});
      if (shape.prefetch_write && operand.stores)
        to.push_back({line + group_->plan.prefetch_write, Kind::prefetch, false});
    }
  }
}

void Stream::hop(std::vector<Access>& to) {
  const auto element = group_->plan.element;
  const auto& info = *group_->entry->info;
  std::uint64_t node = 0;
  if (info.drawn) {
    state_ = kernels::bytes::next_draw(state_);
    node = kernels::bytes::drawn(state_, end_ - begin_);
  } else {
    node = cycle_.at(at_ - begin_);
    at_ = at_ + 1 - begin_ == cycle_.nodes() ? begin_ : at_ + 1;
  }
  const auto address = bases_[0] + (begin_ + node) * element;
  to.push_back({address, Kind::load, true});
  for (std::uint64_t off = LINE; info.whole && off < element; off += LINE)
    to.push_back({address + off, Kind::load, false});
}

/// As core/kernels/blocks.hpp: which block of the slice is next.
std::uint64_t Stream::next_block() {
  const auto step = at_ - begin_;
  at_ = at_ + 1 == end_ ? begin_ : at_ + 1;
  if (group_->order() == kernels::Order::sequential) return begin_ + step;
  if (group_->order() == kernels::Order::random) {
    state_ = kernels::bytes::next_draw(state_);
    return begin_ + kernels::bytes::drawn(state_, end_ - begin_);
  }
  if (const auto region = step / window_; region != region_) {
    region_ = region;
    order_ = kernels::blocks::order_of(region, window_, state_);
  }
  return begin_ + region_ * window_ + order_.at(step % window_);
}

/// As core/kernels/flush.hpp: all stores, all flushes, one fence; or the three for each line.
void Stream::block(std::vector<Access>& to) {
  const auto& info = *group_->entry->info;
  const auto fence = group_->fence();
  const auto flush = flush_of(info.flush);
  const bool region_ends = group_->order() == kernels::Order::once && (at_ - begin_ + 1) % window_ == 0;
  const auto first = bases_[0] + next_block() * group_->plan.element;
  const auto last = first + group_->asked();
  for (auto line = first; line < last; line += LINE) {
    if (info.operands[0].loads) to.push_back({line, Kind::load, false});
    if (info.operands[0].stores) to.push_back({line, store_, false});
    if (fence != kernels::Fence::line) continue;
    if (flush) to.push_back({line, *flush, false});
    to.push_back({0, Kind::sfence, false});
  }
  if (fence == kernels::Fence::line) return;
  for (auto line = first; flush && line < last; line += LINE) to.push_back({line, *flush, false});
  if (fence == kernels::Fence::chunk) to.push_back({0, Kind::sfence, false});
  if (fence == kernels::Fence::region && region_ends) to.push_back({0, Kind::mfence, false});
}

}  // namespace tierscope
