/// A loop of few instructions on a simulated core: its steps as instructions of simulate/flow.hpp, one block of them
/// for each access and each run up to a branch, through a Pipeline of each member.
#pragma once
#include <memory>
#include <vector>

#include "bench/simulated.hpp"
#include "bench/tasks/loop_route.hpp"
#include "bench/tasks/pipeline_stepper.hpp"
#include "simulate/flow.hpp"

namespace tierscope {

class LoopStepper final : public PipelineStepper {
 public:
  /// base: address of the member's memory; scratch: of the lines that it stores to.
  LoopStepper(simulate::Machine& machine, unsigned cpu, const Loops& its, Route route, std::uint64_t base,
              std::uint64_t scratch, std::uint64_t per_block, Block form);
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
  bool run_part() override;
  void make(const Part& part);

  Loops its_;
  Route route_;
  std::uint64_t base_, scratch_;
  std::vector<bool> guesses_;        // whether a part ends in the branch of a guess
  std::size_t at_ = 0;               // the next part
  bool over_first_ = false;          // whether its first instruction is left out
  std::vector<Part> parts_, over_;   // over_: without their first instruction; a Pipeline points at those it ran
  std::uint64_t code_;               // address of the next instruction
  std::vector<std::uint64_t> hops_;  // of each chain
  std::vector<simulate::flow::Access> accesses_;
  std::uint64_t state_, iterations_ = 0, made_ = 0, promised_ = 0;
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
