/// 64-byte vectors, a whole cache line each: AVX-512 F and DQ.
/// Build: Avx512, rank 2, on x86_64 AMD64, features "avx512f avx512dq"
/// Flags: -mavx512f -mavx512dq -mfma -mprefer-vector-width=512
/// Source: Intel, "Intrinsics Guide".
#pragma once
#include <immintrin.h>

#include "isa/isa.hpp"

namespace tierscope::isa {

struct Avx512 {
  using Reals = __m512d;
  using Words = __m512i;
  static constexpr std::size_t bytes = 64;
  static constexpr bool reference = false;
  static constexpr bool non_temporal = true;

  static Reals reals(const std::byte* from) noexcept { return _mm512_load_pd(from); }
  static Words words(const std::byte* from) noexcept { return _mm512_load_si512(from); }
  static Reals reals_near(const std::byte* from) noexcept { return _mm512_loadu_pd(from); }
  static Reals gather(const std::byte* base, Words index) noexcept {
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xFF, index, base, 8);
  }
  static void scatter(std::byte* base, Words index, Reals value) noexcept {
    _mm512_i64scatter_pd(base, index, value, 8);
  }
  static Reals broadcast(double value) noexcept { return _mm512_set1_pd(value); }
  static Reals add(Reals a, Reals b) noexcept { return _mm512_add_pd(a, b); }
  static Reals multiply(Reals a, Reals b) noexcept { return _mm512_mul_pd(a, b); }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept { return _mm512_fmadd_pd(a, b, c); }
  static Words zero() noexcept { return _mm512_setzero_si512(); }
  static Words add(Words a, Words b) noexcept { return _mm512_add_epi64(a, b); }
  static Words multiply(Words a, Words b) noexcept { return _mm512_mullo_epi64(a, b); }
  static Words exclusive_or(Words a, Words b) noexcept { return _mm512_xor_si512(a, b); }
  static Words where_negative(Words sign, Words value) noexcept {
    return _mm512_maskz_mov_epi64(_mm512_movepi64_mask(sign), value);
  }
  static double sum(Reals a) noexcept {
    alignas(bytes) double lanes[8];
    _mm512_store_pd(lanes, a);
    double all = 0;
    for (const auto lane : lanes) all += lane;
    return all;
  }
  /// Pairs of rows, then pairs of those, by quarters of a vector.
  static void transpose(Reals (&row)[8]) noexcept {
    Reals pair[8], four[8];
    for (unsigned i = 0; i < 8; i += 2) {
      pair[i] = _mm512_maskz_unpacklo_pd(0xFF, row[i], row[i + 1]);
      pair[i + 1] = _mm512_maskz_unpackhi_pd(0xFF, row[i], row[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4)
      for (unsigned odd = 0; odd < 2; ++odd) {
        four[i + odd] = _mm512_maskz_shuffle_f64x2(0xFF, pair[i + odd], pair[i + odd + 2], 0x88);
        four[i + odd + 2] = _mm512_maskz_shuffle_f64x2(0xFF, pair[i + odd], pair[i + odd + 2], 0xDD);
      }
    for (unsigned i = 0; i < 4; ++i) {
      row[i] = _mm512_maskz_shuffle_f64x2(0xFF, four[i], four[i + 4], 0x88);
      row[i + 4] = _mm512_maskz_shuffle_f64x2(0xFF, four[i], four[i + 4], 0xDD);
    }
  }
  static std::uint64_t sum(Words a) noexcept {
    alignas(bytes) std::uint64_t lanes[8];  // the reduction intrinsic draws a false warning from GCC 12
    _mm512_store_si512(lanes, a);
    std::uint64_t all = 0;
    for (const auto lane : lanes) all += lane;
    return all;
  }
  static void store(std::byte* to, Reals value) noexcept { _mm512_store_pd(to, value); }
  static void store(std::byte* to, Words value) noexcept { _mm512_store_si512(to, value); }
  static void store_nt(std::byte* to, Reals value) noexcept { _mm512_stream_pd(reinterpret_cast<double*>(to), value); }
  static void store_nt(std::byte* to, Words value) noexcept {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
  }
  static void prefetch(const std::byte* at) noexcept { asm volatile("prefetcht0 %0" : : "m"(*at)); }
  static void prefetch_write(const std::byte* at) noexcept { asm volatile("prefetchw %0" : : "m"(*at)); }
};
static_assert(Isa<Avx512>);

}  // namespace tierscope::isa
