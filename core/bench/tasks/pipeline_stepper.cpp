#include "bench/tasks/pipeline_stepper.hpp"

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
  blocks_.push_back(block(form_, machine_->noise().distort(start_, now), operations_));
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

}  // namespace tierscope
