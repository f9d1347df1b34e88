/// Write by DC ZVA: a whole block of zeros per instruction, so no line is read for ownership. DCZID_EL0 states the
/// block size: 64 bytes on most servers and up to 2 KiB elsewhere. The rest of a slice that is shorter than a block is
/// stored. Refused if the system prohibits the instruction (DCZID_EL0.DZP).
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", DC ZVA and DCZID_EL0.
#pragma once
#include "kernels/block_zeros.hpp"

namespace tierscope::kernels::zva {
inline constexpr KernelInfo info{
    .name = "zva",
    .summary = "DC ZVA: zeros, a block per instruction",
    .source = "Arm, \"Arm Architecture Reference Manual for A-profile architecture\", DC ZVA",
    .check = Check::replayed,
    .operands = bytes::WRITTEN,
    .store = Store::direct,
    .needs = "zva"};
inline constexpr std::string_view isa = "scalar";

inline std::size_t block_bytes() noexcept {
  std::uint64_t state = 0;
  asm("mrs %0, dczid_el0" : "=r"(state));
  return std::size_t{4} << (state & 0xFU);
}

inline std::uint64_t pass(Pass& pass) noexcept {
  return zeros_pass(pass, block_bytes(), [](std::byte* at) { asm volatile("dc zva, %0" : : "r"(at) : "memory"); });
}
inline std::uint64_t reference(Pass& pass) noexcept { return zeros_reference(pass); }
}  // namespace tierscope::kernels::zva
