/// One group on a simulated machine: its threads, and how they are brought to a state in which blocks may begin.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "bench/group.hpp"
#include "bench/stepper.hpp"
#include "simulate/machine.hpp"

namespace tierscope {

/// The simulated time that all groups share, and the loop over their threads.
class Course {
 public:
  simulate::Time now = 0;
  std::uint32_t batch = 0;
  /// Executes accesses in the order in which they may start, until blocks of `length` end at `end` or later.
  void run(const std::vector<Stepper*>& steppers, simulate::Time end, simulate::Time length);
};

class SimulatedGroup {
 public:
  virtual ~SimulatedGroup() = default;
  SimulatedGroup() = default;
  SimulatedGroup(const SimulatedGroup&) = delete;
  SimulatedGroup& operator=(const SimulatedGroup&) = delete;

  /// One for each member.
  [[nodiscard]] virtual std::vector<Stepper*> steppers() = 0;
  /// Runs before the first batch, so that nothing is cold.
  virtual void warm(Course& course) = 0;
  /// Return whether it must run alone, since its threads end rounds together; `run` is for these. @throws BadPlan
  [[nodiscard]] virtual bool alone() const { return false; }
  virtual void run(Course& course, simulate::Time end, simulate::Time length) { course.run(steppers(), end, length); }
  /// The largest relative difference between the work done and the expected work.
  [[nodiscard]] virtual double error() = 0;
};

/// The arguments from which a task makes one.
struct SimulatedPlace {
  simulate::Machine& machine;
  Group& group;
  Store& store;
  std::uint64_t target, source;                   // addresses of its memory
  std::function<Block(std::size_t member)> form;  // the template of a member's blocks
};

}  // namespace tierscope
