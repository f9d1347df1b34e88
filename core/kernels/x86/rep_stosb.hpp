/// Write by one string instruction. The microcode chooses how lines are owned, so the bus bytes are unknown.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::rep_stosb {
inline constexpr KernelInfo info{
    .name = "rep_stosb",
    .summary = "rep stosb",
    .source = "Intel, \"64 and IA-32 Architectures Optimization Reference Manual\", enhanced REP MOVSB and STOSB",
    .check = Check::replayed,
    .operands = bytes::WRITTEN,
    .store = Store::string,
    .needs = "erms"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::set(pass, [](std::byte* to, std::size_t size) {
    asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(bytes::FILL) : "memory");
  });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::set_reference(pass); }
}  // namespace tierscope::kernels::rep_stosb
