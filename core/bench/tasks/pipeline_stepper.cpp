#include "bench/tasks/pipeline_stepper.hpp"

#include <algorithm>

namespace tierscope {

using simulate::Time;

Time PipelineStepper::begin(Time at, std::uint32_t batch) {
  form_.batch = batch;
  pipeline_.wait_until(at);
  start_ = pipeline_.now();
  operations_ = 0;
  return pipeline_.next();
}

Time PipelineStepper::step(Time, Time end, Time length) {
  if (!run_part()) return pipeline_.next();
  ++operations_;
  const auto now = pipeline_.now();
  const bool due = per_block_ > 0 ? operations_ >= per_block_ : now - start_ >= length;
  if (!due) return pipeline_.next();
  blocks_.push_back(block(start_, now));
  start_ = now;
  operations_ = 0;
  return now >= end ? simulate::NEVER : pipeline_.next();
}

void PipelineStepper::warm(std::uint64_t iterations) {
  for (; iterations > 0; --iterations)
    while (!run_part()) {
    }
  operations_ = 0;
}

Block PipelineStepper::block(Time start, Time stop) const {
  const auto seen = machine_->noise().distort(start, stop);
  Block its = form_;
  its.start_ticks = static_cast<std::uint64_t>(seen.start);
  its.stop_ticks = std::max(static_cast<std::uint64_t>(seen.stop), its.start_ticks + 1);
  its.operations = operations_;
  its.flags = static_cast<std::uint16_t>((seen.preempted ? PREEMPTED : 0) | (seen.stolen ? STOLEN : 0));
  return its;
}

}  // namespace tierscope
