/// The accesses of blocks, in the order of core/kernels/blocks.hpp.
#include <algorithm>
#include <optional>

#include "base/shuffle.hpp"
#include "bench/streams.hpp"
#include "bench/tasks/block.hpp"
#include "kernels/blocks.hpp"

namespace tierscope {
namespace {

using kernels::LINE;
using simulate::Access;
using simulate::Kind;

/// Return the access that writes a line back, if there is one.
std::optional<Kind> flush_of(kernels::Flush flush) {
  switch (flush) {
    case kernels::Flush::clflush:
    case kernels::Flush::civac:
      return Kind::clflush;
    case kernels::Flush::clflushopt:
      return Kind::clflushopt;
    case kernels::Flush::clwb:
    case kernels::Flush::cvac:
    case kernels::Flush::cvap:
    case kernels::Flush::cvadp:
      return Kind::clwb;
    case kernels::Flush::none:
    case kernels::Flush::msync:
      break;
  }
  return {};
}

class BlockStream final : public Stream {
 public:
  BlockStream(const Group& group, std::size_t member, const Bases& bases)
      : Stream(group, group.members[member]),
        bases_(bases),
        element_(group.plan.of<Blocks>().element),
        line_(group.line),
        touched_(touched_of(group)),
        window_(region_of(group, group.members[member])),
        first_state_(first_draw(group, member)),
        state_(first_state_),
        at_(begin_),
        fence_(fence_of(group)),
        order_(order_of(group)),
        flush_(flush_of(info().flush)) {}
  std::uint64_t next(std::uint64_t wanted, std::vector<Access>& to) override {
    wanted = std::max<std::uint64_t>(wanted, 1);
    for (std::uint64_t made = 0; made < wanted; ++made) block(to);
    return wanted;
  }
  void rewind() override {
    state_ = first_state_;
    at_ = begin_;
    region_ = ~std::uint64_t{0};
  }

 private:
  std::uint64_t next_block();
  void block(std::vector<Access>& to);
  void mixed(std::uint64_t number, bool storing, std::vector<Access>& to) const;

  Bases bases_;
  std::uint64_t element_, line_, touched_, window_, first_state_, state_, at_;
  kernels::Fence fence_;
  kernels::Order order_;
  std::optional<Kind> flush_;
  std::uint64_t region_ = ~std::uint64_t{0};  // the region of the current order
  Shuffle shuffle_{1, 0};
};

/// Returns the next block of the slice, as core/kernels/blocks.hpp does.
std::uint64_t BlockStream::next_block() {
  const auto step = at_ - begin_;
  at_ = at_ + 1 == end_ ? begin_ : at_ + 1;
  if (order_ == kernels::Order::sequential) return begin_ + step;
  if (order_ == kernels::Order::random) {
    state_ = kernels::bytes::next_draw(state_);
    return begin_ + kernels::bytes::drawn(state_, end_ - begin_);
  }
  if (const auto region = step / window_; region != region_) {
    region_ = region;
    shuffle_ = kernels::blocks::order_of(region, window_, state_);
  }
  return begin_ + region_ * window_ + shuffle_.at(step % window_);
}

/// Appends the loads or the stores of one operation, as core/kernels/mix_blocks.hpp makes them.
void BlockStream::mixed(std::uint64_t number, bool storing, std::vector<Access>& to) const {
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) {
    const auto& operand = info().operands[k];
    if (storing ? !operand.stores : !operand.loads) continue;
    for (std::uint64_t l = 0; l < operand.lines; ++l)
      for (std::uint64_t off = 0; off < touched_; off += LINE)
        to.push_back({bases_[k] + (number * operand.lines + l) * element_ + off, storing ? store_ : Kind::load, false});
  }
}

/// As core/kernels/flush.hpp: all stores, all flushes, one fence; or the three for each line.
void BlockStream::block(std::vector<Access>& to) {
  const bool region_ends = order_ == kernels::Order::once && (at_ - begin_ + 1) % window_ == 0;
  const auto number = next_block();
  if (info().operands[1].lines > 0) {
    mixed(number, false, to);
    mixed(number, true, to);
    return;
  }
  const auto first = bases_[0] + number * element_;
  const auto last = first + touched_;
  const auto ends = [&](std::uint64_t part) { return part + LINE == last || (part + LINE) % line_ == 0; };
  for (auto part = first; part < last; part += LINE) {
    if (info().operands[0].loads) to.push_back({part, Kind::load, false});
    if (info().operands[0].stores) to.push_back({part, store_, false});
    if (fence_ != kernels::Fence::line || !ends(part)) continue;
    if (flush_) to.push_back({part, *flush_, false});
    to.push_back({0, Kind::sfence, false});
  }
  if (fence_ == kernels::Fence::line) return;
  for (auto part = first; flush_ && part < last; part += LINE)
    if (ends(part)) to.push_back({part, *flush_, false});
  if (fence_ == kernels::Fence::chunk) to.push_back({0, Kind::sfence, false});
  if (fence_ == kernels::Fence::region && region_ends) to.push_back({0, Kind::mfence, false});
}

}  // namespace

std::unique_ptr<Stream> block_stream(const Group& group, std::size_t member, const Bases& bases) {
  return std::make_unique<BlockStream>(group, member, bases);
}

}  // namespace tierscope
