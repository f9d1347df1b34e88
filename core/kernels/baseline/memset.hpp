/// The C library's memset as linked into the core, one call per range; its bus bytes are unknown, like memcpy's.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::memset {
inline constexpr KernelInfo info{.name = "memset",
                                 .summary = "memset of the C library",
                                 .source = "ISO C, 7.24.6.1; GNU C Library manual",
                                 .check = Check::replayed,
                                 .operands = bytes::WRITTEN,
                                 .store = Store::libc};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::set(pass, [](std::byte* to, std::size_t size) { std::memset(to, bytes::FILL, size); });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::set_reference(pass); }
}  // namespace tierscope::kernels::memset
