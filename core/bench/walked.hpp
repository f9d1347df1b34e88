/// A simulated group whose members walk over memory: their accesses follow from descriptors (bench/streams.hpp).
#pragma once
#include "bench/simulated.hpp"
#include "bench/walker.hpp"

namespace tierscope {

class WalkedGroup final : public SimulatedGroup {
 public:
  /// @throws Unsupported for a kernel without a form
  explicit WalkedGroup(const SimulatedPlace& place);
  [[nodiscard]] std::vector<Stepper*> steppers() override;
  void warm(Course& course) override;
  [[nodiscard]] double error() override;

 private:
  const Group* group_;
  std::uint64_t reach_;  // bytes that caches and buffers can contain
  std::vector<std::unique_ptr<Walker>> walkers_;
};

}  // namespace tierscope
