/// Copy by one string instruction. The microcode chooses how lines are owned, so the bus bytes are unknown.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::rep_movsb {
inline constexpr KernelInfo info{
    .name = "rep_movsb",
    .summary = "rep movsb",
    .source = "Intel, \"64 and IA-32 Architectures Optimization Reference Manual\", enhanced REP MOVSB and STOSB",
    .check = Check::replayed,
    .operands = bytes::COPIED,
    .store = Store::string,
    .needs = "erms"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  return bytes::copy(pass, [](std::byte* to, const std::byte* from, std::size_t size) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  });
}
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::copy_reference(pass); }
}  // namespace tierscope::kernels::rep_movsb
