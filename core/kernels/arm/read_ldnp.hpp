/// Read by LDNP, the non-temporal load of AArch64, which takes a pair of registers: the processor may keep the lines
/// out of its caches, or treat it as a plain load. Compared with `read` on a memory, and with the data that others have
/// in a shared cache meanwhile, it shows what the hint is worth. Source: Arm, "Arm Architecture Reference Manual for
/// A-profile architecture", LDNP (SIMD and FP).
#pragma once
#include <arm_neon.h>

#include "kernels/bytes.hpp"

namespace tierscope::kernels::read_ldnp {
inline constexpr KernelInfo info{
    .name = "read_ldnp",
    .summary = "sum of 64-bit words by LDNP, non-temporal pairs",
    .source = "Arm, \"Arm Architecture Reference Manual for A-profile architecture\", LDNP",
    .check = Check::replayed,
    .operands = bytes::READ,
    .sums = true,
    .needs = "asimd"};
inline constexpr std::string_view isa = "scalar";

inline std::uint64_t sum(const std::byte* at, std::size_t size) noexcept {
  uint64x2_t a = vdupq_n_u64(0), b = a, c = a, d = a;
  for (const auto* const end = at + size; at < end; at += LINE) {
    uint64x2_t e, f, g, h;
    asm volatile("ldnp %q0, %q1, [%2]" : "=w"(e), "=w"(f) : "r"(at) : "memory");
    asm volatile("ldnp %q0, %q1, [%2, #32]" : "=w"(g), "=w"(h) : "r"(at) : "memory");
    a = vaddq_u64(a, e);
    b = vaddq_u64(b, f);
    c = vaddq_u64(c, g);
    d = vaddq_u64(d, h);
  }
  return vaddvq_u64(vaddq_u64(vaddq_u64(a, b), vaddq_u64(c, d)));
}
inline std::uint64_t pass(Pass& pass) noexcept { return bytes::read(pass, sum); }
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::read_reference(pass); }
}  // namespace tierscope::kernels::read_ldnp
