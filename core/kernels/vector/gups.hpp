/// GUPS, t[r] ^= r, with HPCC's first sequence: a shift register over the polynomial x^64 + x^2 + x + 1. Its low bits
/// are the place. Updates per second are bytes per second over 16. The eight parts of the sequence are an eighth of its
/// period apart; threads are 2^44 values apart. Blind to: updates of one table by several processes.
#pragma once
#include "kernels/updates.hpp"

namespace tierscope::kernels::gups {

constexpr std::uint64_t POLYNOMIAL = 7, PERIOD = 1317624576693539401U;
/// Multiply a value, as a polynomial, by x: this gives the next value.
[[gnu::always_inline]] constexpr std::uint64_t times_x(std::uint64_t word) noexcept {
  return word << 1U ^ (word >> 63U ? POLYNOMIAL : 0);
}
[[gnu::always_inline]] constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  for (unsigned bit = 64; bit-- > 0;) product = times_x(product) ^ (b >> bit & 1U ? a : 0);
  return product;
}
/// Return x to the n: the value after n steps from 1.
[[gnu::always_inline]] constexpr std::uint64_t power(std::uint64_t n) noexcept {
  std::uint64_t result = 1;
  for (std::uint64_t square = 2; n > 0; n >>= 1U, square = times(square, square))
    if (n & 1U) result = times(result, square);
  return result;
}
constexpr std::array<std::uint64_t, ELEMENTS> parts_apart() noexcept {
  std::array<std::uint64_t, ELEMENTS> all{};
  for (std::size_t i = 0; i < ELEMENTS; ++i) all[i] = power(i * (PERIOD / ELEMENTS));
  return all;
}

constexpr std::array<std::uint64_t, ELEMENTS> PARTS = parts_apart();  // not a member: each unit has its own

struct Register {
  static std::uint64_t start(std::uint64_t member) noexcept { return power(member << 44U); }
  [[gnu::always_inline]] static void parts(std::uint64_t state, std::uint64_t* words) noexcept {
    for (std::size_t i = 0; i < ELEMENTS; ++i) words[i] = times(state, PARTS[i]);
  }
  static void next(std::uint64_t* words) noexcept {
    for (std::size_t i = 0; i < ELEMENTS; ++i) words[i] = times_x(words[i]);
  }
  [[gnu::always_inline]] static std::uint64_t element(std::uint64_t word, std::uint64_t elements) noexcept {
    return word & (elements - 1);
  }
  template <class V>
  [[gnu::always_inline]] static typename V::Words steps(typename V::Words word) noexcept {
    static constexpr auto SEVEN = updates::lanes(POLYNOMIAL);
    return V::exclusive_or(V::add(word, word), V::where_negative(word, updates::everywhere<V>(SEVEN)));
  }
};
inline constexpr KernelInfo info{
    .name = "gups",
    .summary = "t[r] ^= r for random words r of a shift register, HPCC's RandomAccess",
    .source = "P. Luszczek et al., \"Introduction to the HPC Challenge Benchmark Suite\", 2005",
    .check = Check::recomputed,
    .operands = updates::TABLE,
    .store = Store::plain,
    .draws = &updates::DRAWS<Register>};

template <class V, class STORE>
struct Kernel : Walked<info, STORE>, updates::Updating<V, Register> {};
}  // namespace tierscope::kernels::gups
