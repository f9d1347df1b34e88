/// Write by CBO.ZERO: a whole block of zeros per instruction, so no line is read for ownership. The block is the one
/// that the instruction was seen to fill (base/cpu_riscv.cpp); the rest of a slice that is shorter than a block is
/// stored. Refused where the instruction does not run: Linux must grant it to programs (senvcfg.CBZE). Source: RISC-V
/// International, "RISC-V Base Cache Management Operation ISA Extensions", 1.0, Zicboz.
#pragma once
#include "base/cbo.hpp"
#include "kernels/block_zeros.hpp"
#include "kernels/bytes.hpp"

namespace tierscope::kernels::cbo_zero {
inline constexpr KernelInfo info{
    .name = "cbo_zero",
    .summary = "CBO.ZERO: zeros, a block per instruction",
    .source = "RISC-V International, \"RISC-V Base Cache Management Operation ISA Extensions\", 1.0",
    .check = Check::replayed,
    .operands = bytes::WRITTEN,
    .store = Store::direct,
    .needs = "zicboz"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t pass(Pass& pass) noexcept {
  const auto block = cbo::block_bytes();
  return bytes::set(pass, [block](std::byte* to, std::size_t size) { zero_blocks(to, size, block, &cbo::zero); });
}
inline std::uint64_t reference(Pass& pass) noexcept {
  return bytes::set(pass, [](std::byte* to, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) to[i] = std::byte{0};
  });
}
}  // namespace tierscope::kernels::cbo_zero
