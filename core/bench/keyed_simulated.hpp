/// A simulated group on a structure. It runs whole rounds of operations, whose accesses are recorded as they run, after
/// a fill and a round that are not timed.
#pragma once
#include "bench/keyed_walker.hpp"
#include "bench/simulated.hpp"

namespace tierscope {

class KeyedGroup final : public SimulatedGroup {
 public:
  explicit KeyedGroup(const SimulatedPlace& place);
  [[nodiscard]] std::vector<Stepper*> steppers() override;
  /// Runs the fill and one round.
  void warm(Course& course) override;
  [[nodiscard]] bool alone() const override { return true; }
  /// Runs rounds until one ends at `end` or later. @throws BadPlan if an operation failed
  void run(Course& course, simulate::Time end, simulate::Time length) override;
  [[nodiscard]] double error() override;

 private:
  Store* store_;
  std::vector<std::unique_ptr<KeyedWalker>> walkers_;
};

}  // namespace tierscope
