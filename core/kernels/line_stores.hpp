/// Stores of a line from registers, 16 bytes at a time, for kernels on blocks, and the fences behind these stores. x86:
/// MOVDQA, MOVNTDQ, SFENCE, MFENCE. AArch64: STR; or STNP of pairs, which is a hint and may stay in the caches; DSB SY,
/// because DMB does not wait until a cache line has been cleaned. RISC-V: FENCE RW, RW.
/// Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2; Arm, "Arm Architecture Reference
/// Manual for A-profile architecture", B2.3 and D7 (completion of cache maintenance instructions).
#pragma once
#include "kernels/kernel.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tierscope::kernels::lines {

using Part [[gnu::vector_size(16)]] = std::uint64_t;
constexpr unsigned PARTS = LINE / sizeof(Part);

#if defined(__x86_64__)
inline constexpr std::string_view MANUAL =
    "Intel, \"64 and IA-32 Architectures Software Developer's Manual\", volume 2";
inline void fence_stores() noexcept { _mm_sfence(); }
inline void fence_all() noexcept { _mm_mfence(); }
#elif defined(__aarch64__)
inline constexpr std::string_view MANUAL =
    "Arm, \"Arm Architecture Reference Manual for A-profile architecture\", cache maintenance instructions";
inline void fence_stores() noexcept { asm volatile("dsb sy" : : : "memory"); }
inline void fence_all() noexcept { asm volatile("dsb sy" : : : "memory"); }
#else
inline constexpr std::string_view MANUAL =
    "RISC-V International, \"The RISC-V Instruction Set Manual\", volume 1, FENCE";
inline void fence_stores() noexcept { asm volatile("fence rw, rw" : : : "memory"); }
inline void fence_all() noexcept { asm volatile("fence rw, rw" : : : "memory"); }
#endif

struct Plain {
  [[gnu::always_inline]] static void put(std::byte* line, Part value) noexcept {
    for (unsigned part = 0; part < PARTS; ++part) {
      reinterpret_cast<Part*>(line)[part] = value;
      asm volatile("" : : : "memory");  // four stores, as written
    }
  }
};
#if defined(__x86_64__) || defined(__aarch64__)
struct NonTemporal {
  [[gnu::always_inline]] static void put(std::byte* line, Part value) noexcept {
#if defined(__x86_64__)
    for (unsigned part = 0; part < PARTS; ++part)
      _mm_stream_si128(reinterpret_cast<__m128i*>(line) + part, reinterpret_cast<__m128i>(value));
#else
    for (unsigned part = 0; part < PARTS; part += 2)
      asm volatile("stnp %q1, %q1, [%0]" : : "r"(line + part * sizeof value), "w"(value) : "memory");
#endif
  }
};
#else
struct NonTemporal;  // rv64gc has none: the kernels of nontemporal/ are left out
#endif

}  // namespace tierscope::kernels::lines
