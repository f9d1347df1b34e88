/// Which words of a plan fit together, and fit the kernel.
#pragma once
#include "bench/group.hpp"

namespace tierscope {

/// What holds for every kernel. @throws BadPlan
void check_words(const GroupPlan& plan);
/// What only some kernels and operations take. @throws BadPlan
void check_operation(const Group& group);

}  // namespace tierscope
