/// Read by LDNT1D, the non-temporal load of SVE, with vectors of any width: the processor may keep the lines out of its
/// caches, or treat it as a plain load. See read_ldnp.
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", LDNT1D.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::read_ldnt1 {
inline constexpr KernelInfo info{
    .name = "read_ldnt1",
    .summary = "sum of 64-bit words by LDNT1D, non-temporal vectors",
    .source = "Arm, \"Arm Architecture Reference Manual for A-profile architecture\", LDNT1D",
    .check = Check::replayed,
    .operands = bytes::READ,
    .sums = true,
    .needs = "sve"};
inline constexpr std::string_view isa = "scalar";

/// Assembly, because a unit with baseline flags has no types of SVE. Each of four loads has a predicate of its own, so
/// that any size and any width of vectors end right.
inline std::uint64_t sum(const std::byte* from, std::size_t size) noexcept {
  const std::uint64_t words = size / sizeof(std::uint64_t);
  std::uint64_t n = 0, all = 0;
  asm volatile(
      ".arch_extension sve\n\t"
      "dup z16.d, #0\n\t"
      "dup z17.d, #0\n\t"
      "dup z18.d, #0\n\t"
      "dup z19.d, #0\n\t"
      "ptrue p0.d\n"
      "1:\n\t"
      "whilelo p1.d, %[n], %[words]\n\t"
      "ldnt1d {z20.d}, p1/z, [%[from], %[n], lsl #3]\n\t"
      "incd %[n]\n\t"
      "whilelo p2.d, %[n], %[words]\n\t"
      "ldnt1d {z21.d}, p2/z, [%[from], %[n], lsl #3]\n\t"
      "incd %[n]\n\t"
      "whilelo p3.d, %[n], %[words]\n\t"
      "ldnt1d {z22.d}, p3/z, [%[from], %[n], lsl #3]\n\t"
      "incd %[n]\n\t"
      "whilelo p4.d, %[n], %[words]\n\t"
      "ldnt1d {z23.d}, p4/z, [%[from], %[n], lsl #3]\n\t"
      "incd %[n]\n\t"
      "add z16.d, z16.d, z20.d\n\t"
      "add z17.d, z17.d, z21.d\n\t"
      "add z18.d, z18.d, z22.d\n\t"
      "add z19.d, z19.d, z23.d\n\t"
      "cmp %[n], %[words]\n\t"
      "b.lo 1b\n\t"
      "add z16.d, z16.d, z17.d\n\t"
      "add z18.d, z18.d, z19.d\n\t"
      "add z16.d, z16.d, z18.d\n\t"
      "uaddv d16, p0, z16.d\n\t"
      "fmov %[all], d16"
      : [n] "+&r"(n), [all] "=r"(all)
      : [from] "r"(from), [words] "r"(words)
      : "memory", "cc", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "p0", "p1", "p2", "p3", "p4");
  return all;
}
inline std::uint64_t pass(Pass& pass) noexcept { return bytes::read(pass, sum); }
inline std::uint64_t reference(Pass& pass) noexcept { return bytes::read_reference(pass); }
}  // namespace tierscope::kernels::read_ldnt1
