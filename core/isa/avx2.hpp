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
  static Reals broadcast(double value) noexcept { return _mm256_set1_pd(value); }
  static Reals add(Reals a, Reals b) noexcept { return _mm256_add_pd(a, b); }
  static Reals multiply(Reals a, Reals b) noexcept { return _mm256_mul_pd(a, b); }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept { return _mm256_fmadd_pd(a, b, c); }
  static Words zero() noexcept { return _mm256_setzero_si256(); }
  static Words add(Words a, Words b) noexcept { return _mm256_add_epi64(a, b); }
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
