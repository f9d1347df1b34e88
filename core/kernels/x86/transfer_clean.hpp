/// Lines that only another core has read: its cache has a copy, and memory has the same bytes.
#pragma once
#include <emmintrin.h>

#include "kernels/transfer.hpp"

namespace tierscope::kernels::transfer_clean {
inline constexpr KernelInfo info =
    transfer::info_of("transfer_clean", "dependent loads of lines that another core alone has read");
inline constexpr std::string_view isa = "scalar";

/// Flush all copies to memory, and read each line again.
struct Clean {
  static void prepare(Pass& pass) noexcept {
    for (std::uint64_t n = 1; n < pass.nodes; ++n) _mm_clflush(transfer::node(pass, n));
    _mm_mfence();
    for (std::uint64_t n = 1; n < pass.nodes; ++n)
      static_cast<void>(*const_cast<const volatile std::uint64_t*>(&transfer::node(pass, n)->next));
  }
};

inline std::uint64_t pass(Pass& pass) noexcept { return transfer::pass<Clean>(pass); }
/// Like `transfer_modified`, but no line is stored to.
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::transfer_clean
