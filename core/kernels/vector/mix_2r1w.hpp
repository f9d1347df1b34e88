/// 2 lines read for 1 written: 67 % reads.
#pragma once
#include "kernels/mix.hpp"

namespace tierscope::kernels::mix_2r1w {
inline constexpr KernelInfo info = mix::info_of("mix_2r1w", "2 lines read for 1 written", 2, 1);

template <class V, class STORE>
using Kernel = mix::Mix<V, STORE, info>;
}  // namespace tierscope::kernels::mix_2r1w
