/// `null`: no memory at all. Only `noop` runs on it; its blocks measure Tierscope itself.
#include "base/registry.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::null {
namespace {

class NullTarget final : public Target {
 public:
  explicit NullTarget(const TargetOptions&) {}
  [[nodiscard]] Buffer map(std::size_t) const override { return {}; }
  [[nodiscard]] Placement inspect(const Buffer&) const override { return {{}, {}, "no memory"}; }
  [[nodiscard]] bool serves_memory() const override { return false; }
};

constexpr TargetEntry entry{"null", "no memory: measures Tierscope itself", "null", &make_target<NullTarget>,
                            "nothing"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::null
