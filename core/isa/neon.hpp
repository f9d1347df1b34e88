/// 32-byte vectors: pairs of NEON registers, because the only non-temporal store of AArch64 without SVE takes a pair.
/// A non-temporal pair is a hint: the bytes are those of a plain store, and the processor may ignore it.
/// Build: Neon, rank 1, on aarch64 arm64, features "asimd"
/// Flags: none
/// Source: Arm, "Arm Architecture Reference Manual for A-profile architecture", LDP, STP, STNP, PRFM; Arm, "Arm C
/// Language Extensions".
#pragma once
#include <arm_neon.h>

#include "isa/isa.hpp"

namespace tierscope::isa {

struct Neon {
  struct Reals {
    float64x2_t low, high;
  };
  struct Words {
    uint64x2_t low, high;
  };
  static constexpr std::size_t bytes = 32;
  static constexpr bool reference = false;
  static constexpr bool non_temporal = true;

  static Reals reals(const std::byte* from) noexcept {
    const auto* const at = reinterpret_cast<const double*>(from);
    return {vld1q_f64(at), vld1q_f64(at + 2)};
  }
  static Words words(const std::byte* from) noexcept {
    const auto* const at = reinterpret_cast<const std::uint64_t*>(from);
    return {vld1q_u64(at), vld1q_u64(at + 2)};
  }
  static Reals reals_near(const std::byte* from) noexcept { return reals(from); }
  /// NEON has no such instruction.
  static Reals gather(const std::byte* base, Words index) noexcept {
    const auto* const at = reinterpret_cast<const double*>(base);
    return {pair(at + index.low[0], at + index.low[1]), pair(at + index.high[0], at + index.high[1])};
  }
  /// NEON has no such instruction.
  static void scatter(std::byte* base, Words index, Reals value) noexcept {
    auto* const to = reinterpret_cast<double*>(base);
    vst1q_lane_f64(to + index.low[0], value.low, 0);
    vst1q_lane_f64(to + index.low[1], value.low, 1);
    vst1q_lane_f64(to + index.high[0], value.high, 0);
    vst1q_lane_f64(to + index.high[1], value.high, 1);
  }
  static Reals broadcast(double value) noexcept { return {vdupq_n_f64(value), vdupq_n_f64(value)}; }
  static Reals add(Reals a, Reals b) noexcept { return {vaddq_f64(a.low, b.low), vaddq_f64(a.high, b.high)}; }
  static Reals multiply(Reals a, Reals b) noexcept { return {vmulq_f64(a.low, b.low), vmulq_f64(a.high, b.high)}; }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept {
    return {vfmaq_f64(c.low, a.low, b.low), vfmaq_f64(c.high, a.high, b.high)};
  }
  static Words zero() noexcept { return {vdupq_n_u64(0), vdupq_n_u64(0)}; }
  static Words add(Words a, Words b) noexcept { return {vaddq_u64(a.low, b.low), vaddq_u64(a.high, b.high)}; }
  static Words multiply(Words a, Words b) noexcept { return {product(a.low, b.low), product(a.high, b.high)}; }
  static Words exclusive_or(Words a, Words b) noexcept { return {veorq_u64(a.low, b.low), veorq_u64(a.high, b.high)}; }
  static Words where_negative(Words sign, Words value) noexcept {
    return {vandq_u64(vcltzq_s64(vreinterpretq_s64_u64(sign.low)), value.low),
            vandq_u64(vcltzq_s64(vreinterpretq_s64_u64(sign.high)), value.high)};
  }
  static double sum(Reals a) noexcept { return vaddvq_f64(vaddq_f64(a.low, a.high)); }
  static std::uint64_t sum(Words a) noexcept { return vaddvq_u64(vaddq_u64(a.low, a.high)); }
  static void transpose(Reals (&row)[4]) noexcept {
    const Reals a = row[0], b = row[1], c = row[2], d = row[3];
    row[0] = {vzip1q_f64(a.low, b.low), vzip1q_f64(c.low, d.low)};
    row[1] = {vzip2q_f64(a.low, b.low), vzip2q_f64(c.low, d.low)};
    row[2] = {vzip1q_f64(a.high, b.high), vzip1q_f64(c.high, d.high)};
    row[3] = {vzip2q_f64(a.high, b.high), vzip2q_f64(c.high, d.high)};
  }
  static void store(std::byte* to, Reals value) noexcept {
    auto* const at = reinterpret_cast<double*>(to);
    vst1q_f64(at, value.low);
    vst1q_f64(at + 2, value.high);
  }
  static void store(std::byte* to, Words value) noexcept {
    auto* const at = reinterpret_cast<std::uint64_t*>(to);
    vst1q_u64(at, value.low);
    vst1q_u64(at + 2, value.high);
  }
  static void store_nt(std::byte* to, Reals value) noexcept {
    auto* const at = reinterpret_cast<Reals*>(to);
    asm volatile("stnp %q1, %q2, %0" : "=Ump"(*at) : "w"(value.low), "w"(value.high));
  }
  static void store_nt(std::byte* to, Words value) noexcept {
    store_nt(to, Reals{vreinterpretq_f64_u64(value.low), vreinterpretq_f64_u64(value.high)});
  }
  static void prefetch(const std::byte* at) noexcept { asm volatile("prfm pldl1keep, [%0]" : : "r"(at)); }
  static void prefetch_write(const std::byte* at) noexcept { asm volatile("prfm pstl1keep, [%0]" : : "r"(at)); }

 private:
  static float64x2_t pair(const double* first, const double* second) noexcept {
    return vld1q_lane_f64(second, vld1q_dup_f64(first), 1);
  }
  /// Low halves of the products of 64-bit lanes, from those of 32 bits: NEON has no wider ones.
  static uint64x2_t product(uint64x2_t a, uint64x2_t b) noexcept {
    const uint32x4_t crossed = vmulq_u32(vreinterpretq_u32_u64(a), vrev64q_u32(vreinterpretq_u32_u64(b)));
    return vmlal_u32(vshlq_n_u64(vpaddlq_u32(crossed), 32), vmovn_u64(a), vmovn_u64(b));
  }
};
static_assert(Isa<Neon>);

}  // namespace tierscope::isa
