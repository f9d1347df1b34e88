/// 32-byte vectors: AVX2 with FMA.
/// Build: Avx2, rank 1, on x86_64 AMD64, features "avx2 fma"
/// Flags: -mavx2 -mfma
/// Source: Intel, "Intrinsics Guide".
#pragma once
#include <immintrin.h>

#include "isa/isa.hpp"

namespace tierscope::isa {

struct Avx2 {
  using Reals = __m256d;
  using Words = __m256i;
  static constexpr std::size_t bytes = 32;
  static constexpr bool reference = false;
  static constexpr bool non_temporal = true;

  static Reals reals(const std::byte* from) noexcept { return _mm256_load_pd(reinterpret_cast<const double*>(from)); }
  static Words words(const std::byte* from) noexcept {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Reals reals_near(const std::byte* from) noexcept {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
  }
  static Reals gather(const std::byte* base, Words index) noexcept {
    // with a mask of ones: the form without one draws a false warning from GCC 12
    const Reals ones = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_mask_i64gather_pd(_mm256_setzero_pd(), reinterpret_cast<const double*>(base), index, ones, 8);
  }
  /// AVX2 has no such instruction.
  static void scatter(std::byte* base, Words index, Reals value) noexcept {
    auto* const to = reinterpret_cast<double*>(base);
    const __m128d low = _mm256_castpd256_pd128(value), high = _mm256_extractf128_pd(value, 1);
    _mm_storel_pd(to + _mm256_extract_epi64(index, 0), low);
    _mm_storeh_pd(to + _mm256_extract_epi64(index, 1), low);
    _mm_storel_pd(to + _mm256_extract_epi64(index, 2), high);
    _mm_storeh_pd(to + _mm256_extract_epi64(index, 3), high);
  }
  static Reals broadcast(double value) noexcept { return _mm256_set1_pd(value); }
  static Reals add(Reals a, Reals b) noexcept { return _mm256_add_pd(a, b); }
  static Reals multiply(Reals a, Reals b) noexcept { return _mm256_mul_pd(a, b); }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept { return _mm256_fmadd_pd(a, b, c); }
  static Words zero() noexcept { return _mm256_setzero_si256(); }
  static Words add(Words a, Words b) noexcept { return _mm256_add_epi64(a, b); }
  static Words multiply(Words a, Words b) noexcept {
    const Words across =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b), _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(across, 32));
  }
  static Words exclusive_or(Words a, Words b) noexcept { return _mm256_xor_si256(a, b); }
  static Words where_negative(Words sign, Words value) noexcept {
    return _mm256_and_si256(_mm256_cmpgt_epi64(zero(), sign), value);
  }
  static double sum(Reals a) noexcept {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
  }
  static void transpose(Reals (&row)[4]) noexcept {
    const Reals a = _mm256_unpacklo_pd(row[0], row[1]), b = _mm256_unpackhi_pd(row[0], row[1]);
    const Reals c = _mm256_unpacklo_pd(row[2], row[3]), d = _mm256_unpackhi_pd(row[2], row[3]);
    row[0] = _mm256_permute2f128_pd(a, c, 0x20);
    row[1] = _mm256_permute2f128_pd(b, d, 0x20);
    row[2] = _mm256_permute2f128_pd(a, c, 0x31);
    row[3] = _mm256_permute2f128_pd(b, d, 0x31);
  }
  static std::uint64_t sum(Words a) noexcept {
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(half)) +
           static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(half, half)));
  }
  static void store(std::byte* to, Reals value) noexcept { _mm256_store_pd(reinterpret_cast<double*>(to), value); }
  static void store(std::byte* to, Words value) noexcept { _mm256_store_si256(reinterpret_cast<__m256i*>(to), value); }
  static void store_nt(std::byte* to, Reals value) noexcept { _mm256_stream_pd(reinterpret_cast<double*>(to), value); }
  static void store_nt(std::byte* to, Words value) noexcept {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void prefetch(const std::byte* at) noexcept { asm volatile("prefetcht0 %0" : : "m"(*at)); }
  static void prefetch_write(const std::byte* at) noexcept { asm volatile("prefetchw %0" : : "m"(*at)); }
};
static_assert(Isa<Avx2>);

}  // namespace tierscope::isa
