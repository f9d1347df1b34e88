/// Loops: iterations of a loop of generated instructions (core/loops/), each member along chains of its own. An
/// operation is one iteration.
#include "bench/tasks/loop.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/content.hpp"
#include "bench/tasks/loop_simulated.hpp"
#include "bench/timed.hpp"
#include "bench/words.hpp"
#include "loops/code.hpp"

namespace tierscope {

std::span<const Key<Loops>> Loops::table() {
  static constexpr Key<Loops> KEYS[]{
      bytes_key<Loops, &Loops::footprint>("footprint"),
      bytes_key<Loops, &Loops::element>("element"),
      count_key<Loops, &Loops::chains>("chains"),
      count_key<Loops, &Loops::beside>("beside"),
      choice_key<Loops, &Loops::filler, FILLS>("filler"),
      count_key<Loops, &Loops::fillers>("fillers"),
      count_key<Loops, &Loops::random>("random"),
      count_key<Loops, &Loops::train>("train"),
      count_key<Loops, &Loops::stride>("stride"),
      count_key<Loops, &Loops::ahead>("ahead"),
      count_key<Loops, &Loops::windows>("windows"),
      count_key<Loops, &Loops::apart>("apart"),
      count_key<Loops, &Loops::down>("down"),
      choice_key<Loops, &Loops::parity, PARITIES>("parity"),
  };
  return KEYS;
}

namespace tasks::loop {
namespace {

using kernels::LINE;
using kernels::PAGE;
using loops::Filler;
using loops::Frame;

/// Code, frames and routes of the members: made when the group is placed.
struct Kept {
  explicit Kept(const loops::Shape& shape) : code(shape) {}
  loops::Code code;
  std::vector<Frame> frames;
  std::vector<Route> routes;
};
Kept& kept_of(const Group& group) { return *static_cast<Kept*>(group.kept.get()); }

Route route_of(const Group& group, std::size_t member) {
  return {group.plan.of<Loops>(), member_bytes(group), random_word(group.plan.seed, member)};
}

/// @throws BadPlan
void require_at_most(const char* key, std::uint64_t value, std::uint64_t most) {
  if (value > most)
    throw BadPlan(std::string(key) + "=" + std::to_string(value) + " is above " + std::to_string(most) +
                  ", the most of kernel loop");
}

class LoopTask final : public TaskOf<blocks::Repeats> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Loops>(); }
  void check(const Group& group) const override {
    const auto& its = group.plan.of<Loops>();
    require_at_most("chains", its.chains, loops::CHAINS);
    require_at_most("beside", its.beside, 64);
    require_at_most("fillers", its.fillers, loops::FILLERS);
    for (const auto& [key, value] : {std::pair{"random", its.random}, {"apart", its.apart}, {"down", its.down}})
      require_at_most(key, value, 1);
    for (const auto& [key, value] : {std::pair{"train", its.train}, {"stride", its.stride}, {"ahead", its.ahead}})
      require_at_most(key, value, PAGE / LINE);
    require_at_most("windows", its.windows, 1024);
    require_multiple("element", its.element, LINE, "a cache line (64)");
    if (its.train > 0 && PAGE % its.element != 0)
      throw BadPlan("element=" + std::to_string(its.element) +
                    " does not divide a page of 4 KiB, which windows need; take the bytes of a line: element=64, 128 "
                    "or 256");
    if (its.train > 0 && (its.chains != 1 || its.beside > 0))
      throw BadPlan(
          "kernel loop visits windows (train=) with one chain and no lines next to it; take chains=1 beside=0");
    if (its.train > 0 && (its.ahead == 0 || (its.train > 1 && its.stride == 0)))
      throw BadPlan("kernel loop with train=" + std::to_string(its.train) + " needs ahead= and stride= of 1 or more");
    if (its.chains > 0 && (its.fills() == Filler::sum || its.fills() == Filler::guess))
      throw BadPlan("kernel loop has sums and guesses as fillers of a loop without chains alone; take chains=0");
    if (its.chains == 0 && its.beside > 0)
      throw BadPlan("beside=" + std::to_string(its.beside) + " needs chains= of 1 or more");
    if (its.chains == 0 && its.fillers == 0) throw BadPlan("kernel loop needs chains= or fillers=: its loop is empty");
    if (its.chains == 1 && its.train == 0 && its.footprint == 0) throw BadPlan("kernel loop needs footprint=");
  }
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto footprint = group.plan.of<Loops>().footprint;
    const auto each = footprint / group.plan.cpus.size() / PAGE * PAGE / LINE;
    if (each == 0) refuse_footprint(group.plan, footprint, PAGE);
    return each;
  }
  /// Lines that one iteration loads.
  [[nodiscard]] std::uint64_t asked(const Group& group) const override {
    const auto& its = group.plan.of<Loops>();
    return its.chains * (1 + its.beside) * LINE;
  }
  [[nodiscard]] bool waits() const override { return true; }
  void require_reached(const Group& group) const override {
    if (group.target_adds.latency_floor_s > 0 || group.target_adds.bandwidth > 0)
      throw BadPlan("kernel loop has several accesses in flight, which target " + group.plan.target +
                    " does not slow one by one; take target=node:N");
  }

  void place(Group& group, std::size_t number) const override {
    const auto& its = group.plan.of<Loops>();
    if (number == 0) group.kept = std::make_shared<Kept>(shape_of(its, route_of(group, 0)));
    auto& kept = kept_of(group);
    if (number == 0) kept.frames.resize(group.members.size());
    kept.routes.push_back(route_of(group, number));
    auto& pass = group.members[number].pass;
    auto& frame = kept.frames[number];
    pass.operand[0] += group.members[number].begin * LINE;
    for (std::uint64_t c = 0; c < its.chains; ++c)
      frame.cursors[c] = reinterpret_cast<std::uintptr_t>(pass.operand[0] + kept.routes[number].at(c, 0));
    frame.mask = its.random != 0 ? ~std::uint64_t{0} : ~std::uint64_t{0} >> 1U;
    pass.operand[3] = reinterpret_cast<std::byte*>(&frame);
    pass.state = reinterpret_cast<std::uintptr_t>(kept.code.function());
  }
  /// Random words, then the pointers of the chains. For windows no other words are read.
  void fill(const Group& group, std::size_t number, std::span<std::byte>) const noexcept override {
    const auto& its = group.plan.of<Loops>();
    const auto& route = kept_of(group).routes[number];
    auto* const base = group.members[number].pass.operand[0];
    if (its.train == 0)
      fill_reals({base, member_bytes(group)}, group.plan.seed, group.members[number].begin * (LINE / 8));
    for (std::uint64_t c = 0; c < its.chains; ++c)
      for (std::uint64_t hop = 0; hop < route.hops(); ++hop)
        *words_at(base + route.at(c, hop)) =
            reinterpret_cast<std::uintptr_t>(base + route.at(c, hop + 1 == route.hops() ? 0 : hop + 1));
  }
  [[nodiscard]] std::string content(const Group& group) const override {
    const auto& its = group.plan.of<Loops>();
    std::string key = " loop";
    for (const auto number : {group.operations, std::uint64_t{group.members.size()}, its.element, its.chains,
                              its.beside, its.train, its.stride, its.ahead, its.windows, its.apart, its.down,
                              static_cast<std::uint64_t>(its.parity.value_or(Parity::any))})
      key += " " + std::to_string(number);
    return key;
  }

  /// Compares the cursors, the sum or the state with those expected after this number of iterations.
  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    const auto& its = group.plan.of<Loops>();
    const auto number = static_cast<std::size_t>(&member - group.members.data());
    const auto& kept = kept_of(group);
    const auto& cursors = kept.frames[number].cursors;
    const auto& route = kept.routes[number];
    for (std::uint64_t c = 0; c < its.chains; ++c)
      if (cursors[c] !=
          reinterpret_cast<std::uintptr_t>(member.pass.operand[0] + route.at(c, member.done % route.hops())))
        return WRONG;
    if (its.chains > 0) return 0;
    return cursors[0] == loops::behind(its.fills(), 0, member.done * its.fillers) ? 0 : WRONG;
  }

  void prepare_check(Words& words) const override {
    if (const std::string why = loops::lacking(); !why.empty()) throw Unsupported(why);
    const auto pages = (std::stoull(words["footprint"]) + PAGE - 1) / PAGE;
    words["footprint"] = std::to_string(pages * PAGE);
    words["chains"] = "1";
  }

  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry&) const override { return ""; }
  [[nodiscard]] std::uint64_t simulated_bytes(const Group& group) const override {
    return group.bytes_needed(false) + group.members.size() * PAGE;
  }
  [[nodiscard]] std::unique_ptr<SimulatedGroup> simulate(const SimulatedPlace& place) const override {
    return std::make_unique<LoopGroup>(place);
  }
};

const LoopTask task{"loop"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::loop
}  // namespace tierscope
