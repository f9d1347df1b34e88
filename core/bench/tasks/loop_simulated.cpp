#include "bench/tasks/loop_simulated.hpp"

#include <algorithm>
#include <cmath>

#include "bench/tasks/flow_instruction.hpp"

namespace tierscope {
namespace {

namespace flow = simulate::flow;
using flow::Class;
using loops::Does;

// registers: cursors are 0 to 7
constexpr std::uint8_t WASTE = 11, ADDS = 12, TIMES = 13, MASK = 14, GOES_BY = 15, LEFT = 10, FLAGS = 16, VECTOR = 20;
constexpr std::uint8_t LENGTH = 4;

flow::Instruction made(std::uint64_t address, Class kind, Registers addresses, Registers data, Registers written) {
  return instruction(address, LENGTH, kind, addresses, data, written);
}

/// Returns the x86-64 instructions of a step (loops/code_x86.cpp).
std::vector<flow::Instruction> instructions_of(const loops::Step& step, std::uint64_t at) {
  const auto cursor = static_cast<std::uint8_t>(step.chain);
  switch (step.does) {
    case Does::hop:
      return {made(at, Class::move, {cursor}, {}, {cursor})};
    case Does::look:
      return {made(at, Class::move, {cursor}, {}, {WASTE})};
    case Does::nop:
      return {made(at, Class::nop, {}, {}, {})};
    case Does::integer:
      return {made(at, Class::integer, {}, {ADDS}, {WASTE})};
    case Does::result:
      return {made(at, Class::integer, {}, {ADDS, TIMES}, {WASTE})};
    case Does::vector:
      return {made(at, Class::vector, {}, {VECTOR}, {VECTOR + 1})};
    case Does::sum:
      return {made(at, Class::integer, {}, {0, ADDS}, {0, FLAGS})};
    case Does::load:
      return {made(at, Class::move, {}, {}, {WASTE})};
    case Does::store:
      return {made(at, Class::move, {}, {ADDS}, {})};
    case Does::draw:
      return {made(at, Class::multiply, {}, {0, TIMES}, {0, FLAGS}),
              made(at + LENGTH, Class::integer, {}, {0, ADDS}, {0, FLAGS})};
    case Does::mask:
      return {made(at, Class::move, {}, {0}, {GOES_BY}),
              made(at + LENGTH, Class::integer, {}, {GOES_BY, MASK}, {GOES_BY, FLAGS})};
    case Does::count:
      return {made(at, Class::integer, {}, {LEFT}, {LEFT, FLAGS})};
    case Does::turn:
    case Does::back:
      break;
  }
  return {made(at, Class::branch, {}, {FLAGS}, {})};
}

bool in_frame(Does does) { return does == Does::load || does == Does::store; }
bool accesses(Does does) { return does == Does::hop || does == Does::look || in_frame(does); }

}  // namespace

loops::Shape shape_of(const Loops& its, const Route& route) {
  return {static_cast<unsigned>(its.chains), static_cast<unsigned>(its.beside), its.fills(),
          static_cast<unsigned>(its.fillers), route.distance()};
}

std::uint64_t member_bytes(const Group& group) {
  return (group.members.front().end - group.members.front().begin) * kernels::LINE;
}

LoopStepper::LoopStepper(simulate::Machine& machine, unsigned cpu, const Loops& its, Route route, std::uint64_t base,
                         std::uint64_t scratch, std::uint64_t per_block, Block form)
    : PipelineStepper(machine, cpu, base, per_block, form),
      its_(its),
      route_(std::move(route)),
      base_(base & ((std::uint64_t{1} << simulate::MEMORY_BIT) - 1)),
      scratch_(scratch & ((std::uint64_t{1} << simulate::MEMORY_BIT) - 1)),
      code_(SIMULATED_CODE),
      hops_(its.chains, 0),
      state_(0) {
  cut();
  for (const auto& step : loops::steps_of(shape_of(its_, route_))) add(step);
  parts_.pop_back();
  guesses_.pop_back();
  over_ = parts_;
  for (auto& part : over_)
    if (part.accesses.empty()) part.block.erase(part.block.begin());
}

void LoopStepper::add(loops::Step step) {
  auto& part = parts_.back();
  if (accesses(step.does)) {
    part.accesses.push_back(step);
    part.instructions.push_back(static_cast<std::uint16_t>(part.block.size()));
    ++promised_;
  }
  for (const auto& one : instructions_of(step, code_)) {
    part.block.push_back(one);
    code_ += LENGTH;
  }
  // threads meet at their memory between parts: a part has one access at most
  guesses_.back() = step.does == Does::turn;
  if (accesses(step.does) || step.does == Does::turn || step.does == Does::back) cut();
}

void LoopStepper::cut() {
  parts_.emplace_back();
  guesses_.push_back(false);
}

void LoopStepper::make(const Part& part) {
  accesses_.clear();
  for (std::size_t a = 0; a < part.accesses.size(); ++a) {
    const auto& step = part.accesses[a];
    auto address = scratch_ + step.which * kernels::LINE;
    if (!in_frame(step.does)) {
      auto& hop = hops_[step.chain];
      address =
          base_ + route_.at(step.chain, hop) + (step.does == Does::hop ? 0 : route_.distance() * (step.which + 1));
      if (step.does == Does::hop) hop = hop + 1 == route_.hops() ? 0 : hop + 1;
    }
    accesses_.push_back({address, 8, part.instructions[a], step.does == Does::store});
  }
  made_ += accesses_.size();
  run(flow::Step{0, &part.block, accesses_, nullptr});
}

/// Runs one part; returns true after the last one. A branch of a guess leads to the next part, or past its first
/// instruction, which is a nop.
bool LoopStepper::run_part() {
  const auto& part = (over_first_ ? over_ : parts_)[at_];
  make(part);
  over_first_ = false;
  if (guesses_[at_]) {
    state_ = state_ * loops::MULTIPLIER + loops::ADDED;
    over_first_ = its_.random != 0 && state_ >> 63U != 0;
  }
  if (++at_ < parts_.size()) return false;
  at_ = 0;
  ++iterations_;
  return true;
}

double LoopStepper::error() const noexcept {
  const auto promised = static_cast<double>(promised_ * iterations_);
  return promised > 0 ? std::abs(static_cast<double>(made_) / promised - 1) : 0;
}

LoopGroup::LoopGroup(const SimulatedPlace& place) {
  for (const auto& cache : place.machine.cache_facts()) reach_ += cache.size;
  const auto& group = place.group;
  const auto bytes = member_bytes(group);
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    const auto scratch = place.target + group.bytes_needed(false) + m * kernels::PAGE;
    const auto& its = group.plan.of<Loops>();
    steppers_.push_back(std::make_unique<LoopStepper>(
        place.machine, group.members[m].cpu, its, Route(its, bytes, random_word(group.plan.seed, m)),
        place.target + m * bytes, scratch, group.plan.per_block, place.form(m)));
  }
}

std::vector<Stepper*> LoopGroup::steppers() {
  std::vector<Stepper*> all;
  for (auto& one : steppers_) all.push_back(one.get());
  return all;
}

/// Walks twice what nearly fits the caches of one CPU. If it does not fit, the first lines are as good as any.
void LoopGroup::warm(Course& course) {
  constexpr std::uint64_t FEW = 512, TWICE = 2;
  constexpr double NEARLY = 1.5;
  for (auto& one : steppers_) {
    const auto lines = one->route().lines(), element = one->element();
    const auto line = kernels::PAGE % element == 0 ? element : LINE;  // between places that are farther apart
    const bool fits = static_cast<double>(lines * line) <= NEARLY * static_cast<double>(reach_);
    one->begin(course.now, course.batch);
    one->warm(fits ? std::max(FEW, TWICE * one->route().hops()) : FEW);
    course.now = std::max(course.now, one->finish());
  }
}

double LoopGroup::error() {
  double largest = 0;
  for (const auto& one : steppers_) largest = std::max(largest, one->error());
  return largest;
}

}  // namespace tierscope
