/// Hops: dependent loads along a cycle of pointers, or at places that each load decides. Each member has a cycle of its
/// own, over its part of the memory.
#include "bench/tasks/hop.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/content.hpp"
#include "bench/streams.hpp"
#include "bench/timed.hpp"
#include "bench/words.hpp"
#include "kernels/bytes.hpp"

namespace tierscope {

using kernels::LINE;
using kernels::Order;
using kernels::Pass;

std::span<const Key<Hops>> Hops::table() {
  static constexpr Key<Hops> KEYS[]{
      bytes_key<Hops, &Hops::footprint>("footprint"),  bytes_key<Hops, &Hops::element>("element"),
      bytes_key<Hops, &Hops::locality>("locality"),    bytes_key<Hops, &Hops::spaced>("spacing"),
      choice_key<Hops, &Hops::order, ORDERS>("order"),
  };
  return KEYS;
}

namespace {

Order windows_of(const Group& group) { return group.plan.of<Hops>().order.value_or(Order::random); }

}  // namespace

Cycle cycle_of(const Group& group, const Member& member) {
  const auto& its = group.plan.of<Hops>();
  const auto nodes = member.end - member.begin;
  return {nodes, its.locality == 0 ? nodes : its.locality / its.element, group.plan.seed,
          windows_of(group) == Order::sequential, its.spacing()};
}

namespace tasks::hop {
namespace {

constexpr std::uint64_t TOGETHER = 256;  // nodes: their successors are found in one call
constexpr std::uint64_t PROBED_HOPS = 1000;
constexpr std::uint64_t SUMMED_BYTES = std::uint64_t{16} << 20U;  // of a chase of blocks

/// Each node points to its successor; the rest of its element is random.
void fill_cycle(const Group& group, const Member& member) {
  const auto element = group.plan.of<Hops>().element;
  const auto cycle = cycle_of(group, member);
  const auto seed = group.plan.seed;
  auto* base = member.pass.operand[0];
  std::array<std::uint64_t, TOGETHER> next{};
  for (std::uint64_t first = 0; first < cycle.nodes(); first += TOGETHER) {
    const auto part = std::span(next).first(std::min(TOGETHER, cycle.nodes() - first));
    cycle.successors(first, part);
    for (std::uint64_t n = 0; n < part.size(); ++n) {
      const auto node = first + n;
      auto* word = words_at(base + node * element);
      for (std::uint64_t i = 1; i < element / 8; ++i) word[i] = random_word(seed, node * (element / 8) + i);
      word[0] = reinterpret_cast<std::uintptr_t>(base + part[n] * element);
    }
  }
}

/// Compares the place of the cursor after n hops with the expected one, and the words that the next hops sum up.
double verify_chase(const Group& group, const Member& member) {
  const auto element = group.plan.of<Hops>().element;
  const auto cycle = cycle_of(group, member);
  const auto node = [&](std::uint64_t hops) { return cycle.at((member.done + hops) % cycle.nodes()); };
  Pass walk = member.pass;
  if (walk.cursor != reinterpret_cast<std::uintptr_t>(walk.operand[0] + node(0) * element)) return WRONG;
  if (!group.entry->info->sums) return 0;
  walk.repeats = std::clamp<std::uint64_t>(SUMMED_BYTES / element, 1, PROBED_HOPS);
  std::uint64_t sum = 0;
  for (std::uint64_t hop = 0; hop < walk.repeats; ++hop)
    for (std::uint64_t off = LINE; off < element; off += LINE)
      sum += random_word(group.plan.seed, (node(hop) * element + off) / 8);
  return group.variant.function(walk) == sum ? 0 : WRONG;
}

/// A random walk is repeated with plain arithmetic.
double verify_probe(const Group& group, const Member& member) {
  const auto element = group.plan.of<Hops>().element;
  const auto cycle = cycle_of(group, member);
  Pass walk = member.pass;
  walk.repeats = PROBED_HOPS;
  std::uint64_t state = walk.state;
  for (std::uint64_t i = 0; i < PROBED_HOPS; ++i) {
    const auto node = static_cast<std::uint64_t>((static_cast<unsigned __int128>(state) * walk.nodes) >> 64U);
    const auto next = reinterpret_cast<std::uintptr_t>(walk.operand[0] + cycle.successor(node) * element);
    state = (state + next) * 0xD1342543DE82EF95U + 0x9E3779B97F4A7C15U;
  }
  return group.variant.function(walk) == state ? 0 : WRONG;
}

class HopStream final : public Stream {
 public:
  HopStream(const Group& group, const Member& member, std::uint64_t base)
      : Stream(group, member),
        base_(base),
        element_(group.plan.of<Hops>().element),
        cycle_(cycle_of(group, member)),
        state_(group.plan.seed),
        at_(begin_) {}
  std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to) override {
    wanted = std::max<std::uint64_t>(wanted, 1);
    for (std::uint64_t made = 0; made < wanted; ++made) hop(to);
    return wanted;
  }
  void rewind() override {
    state_ = group_->plan.seed;
    at_ = begin_;
    ahead_ = {};
  }

 private:
  void hop(std::vector<simulate::Access>& to) {
    std::uint64_t node = 0;
    if (info().drawn) {
      state_ = kernels::bytes::next_draw(state_);
      node = kernels::bytes::drawn(state_, end_ - begin_);
    } else {
      if (ahead_.empty()) look_ahead();
      node = ahead_.front();
      ahead_ = ahead_.subspan(1);
      at_ = at_ + 1 - begin_ == cycle_.nodes() ? begin_ : at_ + 1;
    }
    const auto address = base_ + (begin_ + node) * element_;
    to.push_back({address, simulate::Kind::load, true});
    for (std::uint64_t off = LINE; info().whole && off < element_; off += LINE)
      to.push_back({address + off, simulate::Kind::load, false});
  }

  void look_ahead() {
    const auto step = at_ - begin_;
    const auto part = std::span(next_).first(std::min(TOGETHER, cycle_.nodes() - step));
    cycle_.at(step, part);
    ahead_ = part;
  }

  std::uint64_t base_, element_;
  Cycle cycle_;
  std::uint64_t state_, at_;
  std::array<std::uint64_t, TOGETHER> next_{};
  std::span<const std::uint64_t> ahead_;  // of `next_`: the nodes that follow
};

class HopTask final : public TaskOf<blocks::Repeats> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Hops>(); }
  void check(const Group& group) const override {
    const auto& its = group.plan.of<Hops>();
    require_multiple("element", its.element, LINE, "a cache line (64)");
    require_multiple_of_element("locality", its.locality, its.element);
    require_multiple_of_element("spacing", its.spaced, its.element);
    if (its.spaced > its.element && its.locality == 0)
      throw BadPlan("spacing= is the distance within a window; add locality=, the bytes that a window visits");
    if (!its.order) return;
    if (!group.entry->info->orders)
      throw BadPlan("kernel " + group.plan.kernel + " does not take order=; its places are always drawn");
    if (*its.order == Order::once)
      throw BadPlan("order=once is for blocks, kernels read_blocks and flush_...; kernel " + group.plan.kernel +
                    " takes order=random or order=sequential");
  }
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto& its = group.plan.of<Hops>();
    const auto nodes = its.footprint / (its.element * group.entry->info->lines()) / group.plan.cpus.size();
    const auto window = its.locality == 0 ? nodes : its.locality / its.element;
    const auto block = window * its.spacing();
    const auto each = block == 0 ? 0 : nodes / block * block;
    if (each == 0) refuse_footprint(group.plan, its.footprint, std::max(its.locality, its.element) * its.spacing());
    return each;
  }

  [[nodiscard]] bool waits() const override { return true; }
  [[nodiscard]] std::uint64_t element(const Group& group) const override { return group.plan.of<Hops>().element; }
  [[nodiscard]] std::uint64_t asked(const Group& group) const override {
    return group.entry->info->whole ? element(group) : LINE;
  }
  void place(Group& group, std::size_t number) const override {
    auto& member = group.members[number];
    auto& pass = member.pass;
    pass.element = element(group);
    pass.operand[0] += member.begin * pass.element;
    pass.cursor = reinterpret_cast<std::uintptr_t>(pass.operand[0] + cycle_of(group, member).at(0) * pass.element);
  }
  void fill(const Group& group, std::size_t member, std::span<std::byte>) const noexcept override {
    fill_cycle(group, group.members[member]);
  }
  [[nodiscard]] std::string content(const Group& group) const override {
    const auto& its = group.plan.of<Hops>();
    std::string key;
    for (const auto number : {group.operations, its.element, its.locality, its.spacing(),
                              std::uint64_t{windows_of(group) == Order::sequential}, group.members.size()})
      key += " " + std::to_string(number);
    return key;
  }

  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    return group.entry->info->orders ? verify_chase(group, member) : verify_probe(group, member);
  }

  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry& entry) const override {
    return no_simulated_stores(entry);
  }
  [[nodiscard]] std::unique_ptr<Stream> stream(const Group& group, std::size_t member,
                                               const Bases& bases) const override {
    return std::make_unique<HopStream>(group, group.members[member], bases[0]);
  }

  [[nodiscard]] WorkFacts facts(const Group& group) const override { return {.element_bytes = element(group)}; }
};

const HopTask task{"hop"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::hop
}  // namespace tierscope
