/// Write by CBO.ZERO: a whole block of zeros per instruction, so no line is read for ownership. The block size is the
/// number of bytes that the instruction fills in a test (base/cpu_riscv.cpp); the rest of a slice that is shorter than
/// a block is stored. Refused if the instruction does not run: Linux must permit it to programs (senvcfg.CBZE). Source:
/// RISC-V International, "RISC-V Base Cache Management Operation ISA Extensions", 1.0, Zicboz.
#pragma once
#include "base/cbo.hpp"
#include "kernels/block_zeros.hpp"

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

inline std::uint64_t pass(Pass& pass) noexcept { return zeros_pass(pass, cbo::block_bytes(), &cbo::zero); }
inline std::uint64_t reference(Pass& pass) noexcept { return zeros_reference(pass); }
}  // namespace tierscope::kernels::cbo_zero
