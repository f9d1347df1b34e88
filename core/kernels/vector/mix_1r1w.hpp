/// 1 lines read for 1 written: 50 % reads.
#pragma once
#include "kernels/mix.hpp"

namespace tierscope::kernels::mix_1r1w {
inline constexpr KernelInfo info = mix::info_of("mix_1r1w", "1 lines read for 1 written", 1, 1);

template <class V, class STORE>
using Kernel = mix::Mix<V, STORE, info>;
}  // namespace tierscope::kernels::mix_1r1w
