/// SVE with vectors of a fixed width, which the flags of the unit state: types without a size cannot be members.
/// A program runs them only where the kernel grants exactly this width: features "sve128", "sve256", "sve512".
/// Source: Arm, "Arm C Language Extensions for SVE" (arm_sve_vector_bits); Arm, "Arm Architecture Reference Manual for
/// A-profile architecture", LD1D, ST1D, STNT1D, PRFM.
#pragma once
#include <arm_sve.h>

#include "isa/isa.hpp"

namespace tierscope::isa::sve {

using Doubles = svfloat64_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));
using Integers = svuint64_t __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

template <std::size_t BITS>
struct Fixed {
  static_assert(BITS == __ARM_FEATURE_SVE_BITS, "this unit needs -msve-vector-bits of the same width");
  using Reals = Doubles;
  using Words = Integers;
  static constexpr std::size_t bytes = BITS / 8;
  static constexpr std::size_t lanes = bytes / 8;
  static constexpr bool reference = false;
  static constexpr bool non_temporal = true;

  static svbool_t all() noexcept { return svptrue_b64(); }
  static Reals reals(const std::byte* from) noexcept { return svld1_f64(all(), doubles(from)); }
  static Words words(const std::byte* from) noexcept {
    return svld1_u64(all(), reinterpret_cast<const std::uint64_t*>(from));
  }
  static Reals reals_near(const std::byte* from) noexcept { return reals(from); }
  static Reals gather(const std::byte* base, Words index) noexcept {
    return svld1_gather_u64index_f64(all(), doubles(base), index);
  }
  static void scatter(std::byte* base, Words index, Reals value) noexcept {
    svst1_scatter_u64index_f64(all(), doubles(base), index, value);
  }
  static Reals broadcast(double value) noexcept { return svdup_n_f64(value); }
  static Reals add(Reals a, Reals b) noexcept { return svadd_f64_x(all(), a, b); }
  static Reals multiply(Reals a, Reals b) noexcept { return svmul_f64_x(all(), a, b); }
  static Reals multiply_add(Reals a, Reals b, Reals c) noexcept { return svmla_f64_x(all(), c, a, b); }
  static Words zero() noexcept { return svdup_n_u64(0); }
  static Words add(Words a, Words b) noexcept { return svadd_u64_x(all(), a, b); }
  static Words multiply(Words a, Words b) noexcept { return svmul_u64_x(all(), a, b); }
  static Words exclusive_or(Words a, Words b) noexcept { return sveor_u64_x(all(), a, b); }
  static Words where_negative(Words sign, Words value) noexcept {
    return svsel_u64(svcmplt_n_s64(all(), svreinterpret_s64_u64(sign), 0), value, zero());
  }
  static double sum(Reals a) noexcept { return svaddv_f64(all(), a); }
  static std::uint64_t sum(Words a) noexcept { return svaddv_u64(all(), a); }
  /// One perfect shuffle of the rows' lanes for each bit of a lane's number.
  static void transpose(Reals (&row)[lanes]) noexcept {
    for (std::size_t width = 1; width < lanes; width *= 2) {
      Reals next[lanes];
      for (std::size_t i = 0; i < lanes / 2; ++i) {
        next[2 * i] = svzip1_f64(row[i], row[i + lanes / 2]);
        next[2 * i + 1] = svzip2_f64(row[i], row[i + lanes / 2]);
      }
      for (std::size_t i = 0; i < lanes; ++i) row[i] = next[i];
    }
  }
  static void store(std::byte* to, Reals value) noexcept { svst1_f64(all(), doubles(to), value); }
  static void store(std::byte* to, Words value) noexcept { svst1_u64(all(), integers(to), value); }
  static void store_nt(std::byte* to, Reals value) noexcept { svstnt1_f64(all(), doubles(to), value); }
  static void store_nt(std::byte* to, Words value) noexcept { svstnt1_u64(all(), integers(to), value); }
  static void prefetch(const std::byte* at) noexcept { asm volatile("prfm pldl1keep, [%0]" : : "r"(at)); }
  static void prefetch_write(const std::byte* at) noexcept { asm volatile("prfm pstl1keep, [%0]" : : "r"(at)); }

 private:
  static const double* doubles(const std::byte* at) noexcept { return reinterpret_cast<const double*>(at); }
  static double* doubles(std::byte* at) noexcept { return reinterpret_cast<double*>(at); }
  static std::uint64_t* integers(std::byte* at) noexcept { return reinterpret_cast<std::uint64_t*>(at); }
};

}  // namespace tierscope::isa::sve
