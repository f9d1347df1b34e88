#include "bench/tasks/code_simulated.hpp"

#include <algorithm>

#include "bench/tasks/code.hpp"
#include "bench/tasks/flow_instruction.hpp"

namespace tierscope {
namespace {

namespace flow = simulate::flow;
using flow::Class;

constexpr std::uint8_t SUM = 0, ADDED = 2, LEFT = 6, FLAGS = 16;

/// Returns the x86-64 instructions of a run (loops/walk_x86.cpp).
flow::Block block_of(const loops::Run& run, bool last) {
  auto at = SIMULATED_CODE + run.begin;
  flow::Block block;
  const auto add = [&](std::uint8_t length, Class kind, Registers data, Registers written) {
    block.push_back(instruction(at, length, kind, {}, data, written));
    at += length;
  };
  for (std::uint64_t f = 0; f < run.fillers(); ++f) add(loops::FILLED, Class::nop, {}, {});
  add(3, Class::integer, {SUM, ADDED}, {SUM, FLAGS});
  if (last) {
    add(3, Class::integer, {LEFT}, {LEFT, FLAGS});
    add(6, Class::branch, {FLAGS}, {});
  } else {
    add(5, Class::jump, {}, {});
  }
  return block;
}

}  // namespace

CodeStepper::CodeStepper(simulate::Machine& machine, unsigned cpu, const loops::Walk& walk, std::uint64_t address,
                         std::uint64_t per_block, Block form)
    : PipelineStepper(machine, cpu, address, per_block, form) {
  const auto runs = loops::runs_of(walk);
  for (std::size_t n = 0; n < runs.size(); ++n) runs_.push_back(block_of(runs[n], n + 1 == runs.size()));
}

bool CodeStepper::run_part() {
  run(flow::Step{0, &runs_[at_], {}, nullptr});
  at_ = at_ + 1 == runs_.size() ? 0 : at_ + 1;
  return at_ == 0;
}

CodeGroup::CodeGroup(const SimulatedPlace& place) {
  const auto walk = walk_of(place.group);
  for (std::size_t m = 0; m < place.group.members.size(); ++m)
    steppers_.push_back(std::make_unique<CodeStepper>(place.machine, place.group.members[m].cpu, walk, place.target,
                                                      place.group.plan.per_block, place.form(m)));
}

std::vector<Stepper*> CodeGroup::steppers() {
  std::vector<Stepper*> all;
  for (auto& one : steppers_) all.push_back(one.get());
  return all;
}

/// Twice: the first time brings lines and targets of branches, the second one the order in which they leave.
void CodeGroup::warm(Course& course) {
  for (auto& one : steppers_) {
    one->begin(course.now, course.batch);
    one->warm(2);
    course.now = std::max(course.now, one->finish());
  }
}

}  // namespace tierscope
