/// `pool` where it is absent: the static tierscope-core contains no library, so it lists the target with the reason.
#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::without_pool {
namespace {

constexpr std::string_view LACKING =
    "only in tierscope-core-pmdk, built where libpmemobj is: sudo apt-get install -y libpmemobj-dev, then ./tierscope";

std::unique_ptr<Target> refuse(const TargetOptions&) { throw Unsupported("target pool is " + std::string(LACKING)); }

constexpr TargetEntry entry{"pool", "an object in a libpmemobj pool", "pool:PATH", &refuse, "pool", LACKING};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::without_pool
