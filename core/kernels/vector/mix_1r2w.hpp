/// 1 lines read for 2 written: 33 % reads.
#pragma once
#include "kernels/mix.hpp"

namespace tierscope::kernels::mix_1r2w {
inline constexpr KernelInfo info = mix::info_of("mix_1r2w", "1 lines read for 2 written", 1, 2);

template <class V, class STORE>
using Kernel = mix::Mix<V, STORE, info>;
}  // namespace tierscope::kernels::mix_1r2w
