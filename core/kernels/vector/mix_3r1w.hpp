/// 3 lines read for 1 written: 75 % reads.
#pragma once
#include "kernels/mix.hpp"

namespace tierscope::kernels::mix_3r1w {
inline constexpr KernelInfo info = mix::info_of("mix_3r1w", "3 lines read for 1 written", 3, 1);

template <class V, class STORE>
using Kernel = mix::Mix<V, STORE, info>;
}  // namespace tierscope::kernels::mix_3r1w
