/// No-op: nothing between two clock reads. It measures Tierscope itself.
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::kernels::noop {
inline constexpr KernelInfo info{.name = "noop",
                                 .summary = "an empty loop: the cost of timing",
                                 .source = "J. Axboe, fio, engine null",
                                 .check = Check::none,
                                 .unchecked = "it moves no bytes",
                                 .content = Content::nothing,
                                 .operation = "call"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  for (std::uint64_t i = 0; i < pass.repeats; ++i) asm volatile("" : : : "memory");
  return 0;
}
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::noop
