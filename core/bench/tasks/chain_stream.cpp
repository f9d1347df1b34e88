/// The accesses of chains: each step at the place that its kernel draws. The first access of a step waits for the last
/// load of the read before it.
/// Blind to: lines of one read that come back out of their order.
#include "bench/tasks/chain.hpp"

namespace tierscope {
namespace {

using kernels::Flush;
using kernels::LINE;
using kernels::chain::Act;
using kernels::chain::Step;
using simulate::Access;
using simulate::Kind;

std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

Kind kind_of(Act act) { return act == Act::read ? Kind::load : act == Act::write ? Kind::store : Kind::store_nt; }

Kind kind_of(Flush flush) {
  if (flush == Flush::clflush || flush == Flush::civac) return Kind::clflush;
  return flush == Flush::clflushopt ? Kind::clflushopt : Kind::clwb;
}

class ChainStream final : public Stream {
 public:
  ChainStream(const Group& group, std::size_t member, const Bases& bases)
      : Stream(group, group.members[member]),
        chain_(group, member,
               {pointer(bases[0]), pointer(bases[1] + (group.on_source(1) ? 0 : group.operations * LINE))}),
        state_(chain_.start()) {}
  std::uint64_t next(std::uint64_t wanted, std::vector<Access>& to) override {
    wanted = std::max<std::uint64_t>(wanted, 1);
    for (std::uint64_t made = 0; made < wanted; ++made)
      for (const auto& step : chain_.each()) append(step, to);
    return wanted;
  }
  void rewind() override { state_ = chain_.start(); }

 private:
  void append(const Step& step, std::vector<Access>& to) {
    state_ = kernels::bytes::next_draw(state_);
    const auto first = reinterpret_cast<std::uintptr_t>(step.base) + kernels::chain::offset_of(step, state_);
    const auto last = first + step.bytes;
    for (auto line = first; line < last; line += LINE) to.push_back({line, kind_of(step.act), line == first});
    const auto unit = chain_.steps().line;
    for (auto line = first - first % unit; step.flush != Flush::none && line < last; line += unit)
      to.push_back({line, kind_of(step.flush), false});
    if (step.fences) to.push_back({0, Kind::mfence, false});
  }
  MemberChain chain_;
  std::uint64_t state_;
};

}  // namespace

std::unique_ptr<Stream> chain_stream(const Group& group, std::size_t member, const Bases& bases) {
  return std::make_unique<ChainStream>(group, member, bases);
}

}  // namespace tierscope
