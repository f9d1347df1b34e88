/// One 8-byte word at a time: the reference against which every other ISA is checked.
/// Build: Scalar, rank 0, on any, features ""
/// Flags: none
#pragma once
#include "isa/isa.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tierscope::isa {

struct Scalar {
  using Reals = double;
  using Words = std::uint64_t;
  static constexpr std::size_t bytes = 8;
  static constexpr bool reference = true;
#if defined(__x86_64__)
  static constexpr bool non_temporal = true;
#else
  static constexpr bool non_temporal = false;  // no single-word form: the nt kernels are the vector ISAs' matter
#endif

  static Reals reals(const std::byte* from) noexcept { return *reinterpret_cast<const Reals*>(from); }
  static Words words(const std::byte* from) noexcept { return *reinterpret_cast<const Words*>(from); }
  static Reals reals_near(const std::byte* from) noexcept { return reals(from); }
  static Reals gather(const std::byte* base, Words index) noexcept { return reals(base + index * bytes); }
  static void scatter(std::byte* base, Words index, Reals value) noexcept { store(base + index * bytes, value); }
  static Reals broadcast(double value) noexcept { return value; }
  static Reals add(Reals a, Reals b) noexcept { return a + b; }
  static Reals multiply(Reals a, Reals b) noexcept { return a * b; }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept { return a * b + c; }
  static Words zero() noexcept { return 0; }
  static Words add(Words a, Words b) noexcept { return a + b; }
  static Words multiply(Words a, Words b) noexcept { return a * b; }
  static Words exclusive_or(Words a, Words b) noexcept { return a ^ b; }
  static Words where_negative(Words sign, Words value) noexcept { return (Words{0} - (sign >> 63U)) & value; }
  static std::uint64_t sum(Words a) noexcept { return a; }
  static double sum(Reals a) noexcept { return a; }
  static void transpose(Reals (&)[1]) noexcept {}
  static void store(std::byte* to, Reals value) noexcept { *reinterpret_cast<Reals*>(to) = value; }
  static void store(std::byte* to, Words value) noexcept { *reinterpret_cast<Words*>(to) = value; }
#if defined(__x86_64__)
  static void store_nt(std::byte* to, Words value) noexcept {
    _mm_stream_si64(reinterpret_cast<long long*>(to), static_cast<long long>(value));
  }
  static void store_nt(std::byte* to, Reals value) noexcept { store_nt(to, __builtin_bit_cast(Words, value)); }
  static void fence() noexcept { _mm_sfence(); }
  static void prefetch(const std::byte* at) noexcept { asm volatile("prefetcht0 %0" : : "m"(*at)); }
  static void prefetch_write(const std::byte* at) noexcept { asm volatile("prefetchw %0" : : "m"(*at)); }
#else
  static void fence() noexcept { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
  static void prefetch(const std::byte* at) noexcept {
    __builtin_prefetch(at, 0, 3);
    keep(at);
  }
  static void prefetch_write(const std::byte* at) noexcept {
    __builtin_prefetch(at, 1, 3);
    keep(at);
  }
  static void keep(const std::byte* at) noexcept { asm volatile("" : : "r"(at)); }
#endif
};
static_assert(Isa<Scalar>);

}  // namespace tierscope::isa
