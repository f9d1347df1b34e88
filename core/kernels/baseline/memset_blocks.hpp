/// The C library's memset, called once for each block of `element` bytes, one block after the other.
/// Source: ISO C, 7.24.6.1; GNU C Library manual (block setting).
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::memset_blocks {
inline constexpr KernelInfo info{.name = "memset_blocks",
                                 .summary = "memset of the C library, a call for each block in order",
                                 .source = "ISO C, 7.24.6.1; GNU C Library manual",
                                 .check = Check::replayed,
                                 .operands = bytes::WRITTEN,
                                 .store = Store::libc,
                                 .operation = "block"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::set_blocks(pass,
                           [](std::byte* to, std::size_t size) { std::memset(to, bytes::FILL, bytes::hidden(size)); });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::set_blocks(pass, bytes::set_bytewise); }
}  // namespace tierscope::kernels::memset_blocks
