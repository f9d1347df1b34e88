/// The C library's memcpy, called once for each block of `element` bytes: the cost for a program that moves memory in
/// blocks. This includes the call itself, some nanoseconds, which is most of the cost of the smallest blocks. The
/// library may bypass the caches in calls above a size of its own, so bus bytes are unknown.
/// Source: ISO C, 7.24.2.1; GNU C Library manual (copying).
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::memcpy_blocks {
inline constexpr KernelInfo info{.name = "memcpy_blocks",
                                 .summary = "memcpy of the C library, a call for each block",
                                 .source = "ISO C, 7.24.2.1; GNU C Library manual",
                                 .check = Check::replayed,
                                 .operands = bytes::COPIED,
                                 .store = Store::libc,
                                 .operation = "block"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::copy_blocks(
      pass, [](std::byte* to, const std::byte* from, std::size_t size) { std::memcpy(to, from, bytes::hidden(size)); });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::copy_blocks(pass, bytes::copy_bytewise); }
}  // namespace tierscope::kernels::memcpy_blocks
