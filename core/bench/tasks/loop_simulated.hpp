/// A loop of instructions on a simulated core: its steps as instructions of simulate/flow.hpp, one block of them for
/// each access and each run up to a branch, through a Pipeline of each member. A block of a measurement ends at the
/// dispatch of its last instruction and the next one begins there, so that nothing is drained between them.
#pragma once
#include <memory>
#include <vector>

#include "bench/simulated.hpp"
#include "bench/tasks/loop_route.hpp"
#include "simulate/flow.hpp"
#include "simulate/pipeline.hpp"

namespace tierscope {

class LoopStepper final : public Stepper {
 public:
  /// base: address of the member's memory; scratch: of the lines that it stores to.
  LoopStepper(simulate::Machine& machine, unsigned cpu, const Loops& its, Route route, std::uint64_t base,
              std::uint64_t scratch, std::uint64_t per_block, Block form);
  simulate::Time begin(simulate::Time at, std::uint32_t batch) override;
  simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) override;
  simulate::Time finish() override;
  /// Untimed: iterations of its loop.
  void warm(std::uint64_t iterations);
  [[nodiscard]] const Route& route() const noexcept { return route_; }
  [[nodiscard]] std::uint64_t element() const noexcept { return its_.element; }
  /// Loads and stores that were made, divided by those that the steps state, minus one.
  [[nodiscard]] double error() const noexcept;

 private:
  struct Part {
    simulate::flow::Block block;
    std::vector<loops::Step> accesses;        // of its hops, looks and stores
    std::vector<std::uint16_t> instructions;  // the instruction of the block that makes each
  };
  void add(loops::Step step);
  void cut();
  bool go_on();
  void run(const Part& part);
  [[nodiscard]] Block block(simulate::Time start, simulate::Time stop, std::uint64_t operations);

  simulate::Machine* machine_;
  simulate::Placement placement_;
  simulate::Pipeline pipeline_;
  Loops its_;
  Route route_;
  std::uint64_t base_, scratch_, per_block_;
  Block form_;
  std::vector<bool> guesses_;        // whether a part ends in the branch of a guess
  std::size_t at_ = 0;               // the next part
  bool over_first_ = false;          // whether its first instruction is left out
  std::vector<Part> parts_, over_;   // over_: without their first instruction; a Pipeline points at those it ran
  std::uint64_t code_;               // address of the next instruction
  std::vector<std::uint64_t> hops_;  // of each chain
  std::vector<simulate::flow::Access> accesses_;
  std::uint64_t state_, operations_ = 0, iterations_ = 0, made_ = 0, promised_ = 0;
  simulate::Time start_ = 0;
};

class LoopGroup final : public SimulatedGroup {
 public:
  explicit LoopGroup(const SimulatedPlace& place);
  [[nodiscard]] std::vector<Stepper*> steppers() override;
  void warm(Course& course) override;
  [[nodiscard]] double error() override;

 private:
  std::vector<std::unique_ptr<LoopStepper>> steppers_;
  std::uint64_t reach_ = 0;  // bytes of the caches that one CPU reaches
};

/// Shared by both forms: the shape of the steps, and a member's bytes.
loops::Shape shape_of(const Loops& its, const Route& route);
std::uint64_t member_bytes(const Group& group);

}  // namespace tierscope
