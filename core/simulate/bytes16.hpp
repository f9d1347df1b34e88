/// Operations on 16 bytes, for baseline processors with such registers: SSE2 of x86-64, NEON of AArch64. Comparisons by
/// size need bytes below 128.
#pragma once
#if defined(__SSE2__)
#include <emmintrin.h>
#define TIERSCOPE_BYTES16 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define TIERSCOPE_BYTES16 1
#endif

#ifdef TIERSCOPE_BYTES16
#include <cstdint>

namespace tierscope::simulate {

#if defined(__SSE2__)
struct Bytes16 {
  __m128i its;
  /// @param value  below 256
  static Bytes16 splat(unsigned value) noexcept { return {_mm_set1_epi32(static_cast<int>(value * 0x01010101U))}; }
  static Bytes16 counted() noexcept { return {_mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)}; }
  static Bytes16 load(const unsigned char* at) noexcept {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))};
  }
  /// Load eight bytes; the others are 0.
  static Bytes16 load8(const unsigned char* at) noexcept {
    return {_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))};
  }
  void store(unsigned char* at) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(at), its); }
  /// Return one bit for each byte, set if it is not 0. Each byte must be 0 or 255.
  [[nodiscard]] unsigned bits() const noexcept { return static_cast<unsigned>(_mm_movemask_epi8(its)); }
};
inline Bytes16 operator^(Bytes16 a, Bytes16 b) noexcept { return {_mm_xor_si128(a.its, b.its)}; }
/// Return the bits of b that are not in a.
inline Bytes16 without(Bytes16 a, Bytes16 b) noexcept { return {_mm_andnot_si128(a.its, b.its)}; }
inline Bytes16 operator+(Bytes16 a, Bytes16 b) noexcept { return {_mm_add_epi8(a.its, b.its)}; }
inline Bytes16 operator-(Bytes16 a, Bytes16 b) noexcept { return {_mm_sub_epi8(a.its, b.its)}; }
/// Return 255 for each equal byte, else 0.
inline Bytes16 equal(Bytes16 a, Bytes16 b) noexcept { return {_mm_cmpeq_epi8(a.its, b.its)}; }
inline Bytes16 above(Bytes16 a, Bytes16 b) noexcept { return {_mm_cmpgt_epi8(a.its, b.its)}; }
#else
struct Bytes16 {
  uint8x16_t its;
  static Bytes16 splat(unsigned value) noexcept { return {vdupq_n_u8(static_cast<std::uint8_t>(value))}; }
  static Bytes16 counted() noexcept {
    static constexpr std::uint8_t NUMBERS[16]{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return {vld1q_u8(NUMBERS)};
  }
  static Bytes16 load(const unsigned char* at) noexcept { return {vld1q_u8(at)}; }
  static Bytes16 load8(const unsigned char* at) noexcept { return {vcombine_u8(vld1_u8(at), vdup_n_u8(0))}; }
  void store(unsigned char* at) const noexcept { vst1q_u8(at, its); }
  /// NEON has no mask of signs. Each byte keeps the bit of its place, and each half is summed.
  [[nodiscard]] unsigned bits() const noexcept {
    static constexpr std::uint8_t PLACES[16]{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const auto kept = vandq_u8(its, vld1q_u8(PLACES));
    return vaddv_u8(vget_low_u8(kept)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(kept))) << 8U;
  }
};
inline Bytes16 operator^(Bytes16 a, Bytes16 b) noexcept { return {veorq_u8(a.its, b.its)}; }
inline Bytes16 without(Bytes16 a, Bytes16 b) noexcept { return {vbicq_u8(b.its, a.its)}; }
inline Bytes16 operator+(Bytes16 a, Bytes16 b) noexcept { return {vaddq_u8(a.its, b.its)}; }
inline Bytes16 operator-(Bytes16 a, Bytes16 b) noexcept { return {vsubq_u8(a.its, b.its)}; }
inline Bytes16 equal(Bytes16 a, Bytes16 b) noexcept { return {vceqq_u8(a.its, b.its)}; }
inline Bytes16 above(Bytes16 a, Bytes16 b) noexcept { return {vcgtq_u8(a.its, b.its)}; }
#endif

}  // namespace tierscope::simulate
#endif
