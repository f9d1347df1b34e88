/// Checks of a plan's values that several tasks share.
#pragma once
#include <array>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "kernels/kernel.hpp"

namespace tierscope {

inline constexpr std::array<std::pair<const char*, kernels::Fence>, 4> FENCES{{{"chunk", kernels::Fence::chunk},
                                                                               {"line", kernels::Fence::line},
                                                                               {"never", kernels::Fence::never},
                                                                               {"region", kernels::Fence::region}}};
inline constexpr std::array<std::pair<const char*, kernels::Order>, 3> ORDERS{
    {{"random", kernels::Order::random}, {"sequential", kernels::Order::sequential}, {"once", kernels::Order::once}}};

/// @throws BadPlan unless `value` is a multiple of `grain` above 0. called: the grain in words
inline void require_multiple(const std::string& key, std::uint64_t value, std::uint64_t grain,
                             const std::string& called) {
  if (value == 0 || value % grain != 0)
    throw BadPlan(key + "=" + std::to_string(value) + " is not a multiple of " + called);
}
/// 0 is a multiple. @pre element > 0
inline void require_multiple_of_element(const std::string& key, std::uint64_t value, std::uint64_t element) {
  if (value % element != 0)
    throw BadPlan(key + "=" + std::to_string(value) + " is not a multiple of element=" + std::to_string(element));
}

}  // namespace tierscope
