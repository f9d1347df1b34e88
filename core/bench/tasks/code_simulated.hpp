/// A loop of much code on a simulated core: each run is one block of instructions.
#pragma once
#include <memory>
#include <vector>

#include "bench/simulated.hpp"
#include "bench/tasks/pipeline_stepper.hpp"
#include "loops/walk.hpp"

namespace tierscope {

class CodeStepper final : public PipelineStepper {
 public:
  CodeStepper(simulate::Machine& machine, unsigned cpu, const loops::Walk& walk, std::uint64_t address,
              std::uint64_t per_block, Block form);

 private:
  bool run_part() override;
  std::vector<simulate::flow::Block> runs_;  // in their order
  std::size_t at_ = 0;                       // the next
};

class CodeGroup final : public SimulatedGroup {
 public:
  explicit CodeGroup(const SimulatedPlace& place);
  [[nodiscard]] std::vector<Stepper*> steppers() override;
  void warm(Course& course) override;
  /// Its instructions follow from the runs alone.
  [[nodiscard]] double error() override { return 0; }

 private:
  std::vector<std::unique_ptr<CodeStepper>> steppers_;
};

}  // namespace tierscope
