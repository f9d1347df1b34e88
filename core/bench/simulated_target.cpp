#include "bench/simulated_target.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"

namespace tierscope {
namespace {

class SimTarget final : public Target {
 public:
  explicit SimTarget(const TargetOptions&) {}
  SimTarget(std::string by, Persistence persistence) : by_(std::move(by)), persistence_(std::move(persistence)) {}
  [[nodiscard]] Buffer map(std::size_t) const override {
    throw BadPlan("a simulated memory and a real one in one experiment; take sim: for all of its targets");
  }
  [[nodiscard]] Placement inspect(const Buffer&) const override { return {{}, {}, "simulated"}; }
  [[nodiscard]] const char* origin() const override { return "simulated"; }
  [[nodiscard]] std::string origin_by() const override { return by_; }
  [[nodiscard]] Persistence persistence() const override { return persistence_; }

 private:
  std::string by_;
  Persistence persistence_;
};

const TargetEntry entry{"sim",
                        "a simulated memory of a simulated machine",
                        "sim:PRESET[,key=value...]",
                        &make_target<SimTarget>,
                        "memory",
                        simulate::lacking()};
const Registration registration{entry};

}  // namespace

Arena simulated_arena(const simulate::Machine& machine, unsigned region, const std::string& where,
                      std::uint64_t bytes) {
  const auto& memory = machine.regions()[region];
  Arena arena;
  arena.word = "sim:" + where;
  const auto persistence =
      memory.persistence == "none" ? Persistence{} : Persistence{memory.persistence, "stated of memory " + memory.name};
  arena.target = std::make_unique<SimTarget>(machine.name() + ", memory " + memory.name, persistence);
  if (machine.page_bytes() > 0) arena.placement.pages[machine.page_bytes()] = bytes;
  arena.placement.nodes[region] = bytes;
  arena.placement.how = "simulated";
  arena.inspected = true;
  return arena;
}

}  // namespace tierscope
