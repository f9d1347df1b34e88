/// The C library's memcpy as linked into the core, one call per range. It may switch to non-temporal stores above a
/// size of its own, so its bus bytes are unknown and it never replaces `copy`.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::memcpy {
inline constexpr KernelInfo info{.name = "memcpy",
                                 .summary = "memcpy of the C library",
                                 .source = "ISO C, 7.24.2.1; GNU C Library manual",
                                 .check = Check::replayed,
                                 .operands = bytes::COPIED,
                                 .store = Store::libc};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::copy(pass, [](std::byte* to, const std::byte* from, std::size_t size) { std::memcpy(to, from, size); });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::copy_reference(pass); }
}  // namespace tierscope::kernels::memcpy
