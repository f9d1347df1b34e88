/// A loop of instructions on a simulated core: parts of it go through a Pipeline one by one. A block of a measurement
/// ends at the dispatch of its last instruction and the next one begins there, so that nothing is drained between them.
#pragma once
#include <cstdint>

#include "bench/stepper.hpp"
#include "simulate/pipeline.hpp"

namespace tierscope {

class PipelineStepper : public Stepper {
 public:
  /// address: of the member's memory, which states where its data and its code are.
  PipelineStepper(simulate::Machine& machine, unsigned cpu, std::uint64_t address, std::uint64_t per_block, Block form)
      : machine_(&machine),
        placement_(address >> simulate::MEMORY_BIT << simulate::MEMORY_BIT),
        pipeline_(machine, cpu, placement_),
        per_block_(per_block),
        form_(form) {}
  simulate::Time begin(simulate::Time at, std::uint32_t batch) override;
  simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) override;
  simulate::Time finish() override { return pipeline_.drain(); }
  /// Untimed: iterations of its loop.
  void warm(std::uint64_t iterations);

 protected:
  /// Run the next part through `pipeline_`; return true after the last one of an iteration.
  virtual bool run_part() = 0;
  void run(const simulate::flow::Step& step) { pipeline_.run(step); }

 private:
  simulate::Machine* machine_;
  simulate::Placement placement_;
  simulate::Pipeline pipeline_;
  std::uint64_t per_block_, operations_ = 0;
  Block form_;
  simulate::Time start_ = 0;
};

}  // namespace tierscope
