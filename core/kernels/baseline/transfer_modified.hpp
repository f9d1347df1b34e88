/// Lines that another core has modified: its cache has the only copy, and memory does not have these bytes.
#pragma once
#include "kernels/transfer.hpp"

namespace tierscope::kernels::transfer_modified {
inline constexpr KernelInfo info =
    transfer::info_of("transfer_modified", "dependent loads of lines that another core has modified");
inline constexpr std::string_view isa = "scalar";

/// Store to every line, which removes all other copies.
struct Modified {
  static void prepare(Pass& pass) noexcept {
    for (std::uint64_t n = 1; n < pass.nodes; ++n) {
      auto* const stored = &transfer::node(pass, n)->stored;
      *const_cast<volatile std::uint64_t*>(stored) = *stored + 1;
    }
  }
};

inline std::uint64_t pass(Pass& pass) noexcept { return transfer::pass<Modified>(pass); }
/// Both threads and every line count the preparations, and the cycle ends where it began; bench/tasks/transfer.cpp
/// compares them.
inline std::uint64_t reference(Pass&) noexcept { return 0; }
}  // namespace tierscope::kernels::transfer_modified
