/// GUPS, t[r] ^= r, with HPCC's second sequence: a linear congruence modulo 2^64. Its high bits are the place. Updates
/// per second are bytes per second over 16.
/// The eight parts of the sequence and the threads are odd distances apart, so that none of their bits follow one
/// another. Blind to: updates of one table by several processes.
#pragma once
#include "kernels/updates.hpp"

namespace tierscope::kernels::gups_lcg {

constexpr std::uint64_t FACTOR = 6364136223846793005U, STEP = 1;
constexpr std::uint64_t PART = 0x9E3779B97F4A7C15U, MEMBER = 0x9E3779B97F4BU;  // between two of them

/// A fixed number of steps in one operation.
struct Jump {
  std::uint64_t factor, step;
  [[gnu::always_inline]] [[nodiscard]] constexpr std::uint64_t of(std::uint64_t word) const noexcept {
    return factor * word + step;
  }
  [[nodiscard]] constexpr Jump then(const Jump& other) const noexcept {
    return {factor * other.factor, other.factor * step + other.step};
  }
};
constexpr Jump jump(std::uint64_t n) noexcept {
  Jump result{1, 0};
  for (Jump square{FACTOR, STEP}; n > 0; n >>= 1U, square = square.then(square))
    if (n & 1U) result = result.then(square);
  return result;
}
constexpr std::array<Jump, ELEMENTS> parts_apart() noexcept {
  std::array<Jump, ELEMENTS> all{};
  for (std::size_t i = 0; i < ELEMENTS; ++i) all[i] = jump(i * PART);
  return all;
}

constexpr std::array<Jump, ELEMENTS> PARTS = parts_apart();  // not a member: each unit has its own

struct Congruence {
  static std::uint64_t start(std::uint64_t member) noexcept { return jump(member * MEMBER).of(1); }
  [[gnu::always_inline]] static void parts(std::uint64_t state, std::uint64_t* words) noexcept {
    for (std::size_t i = 0; i < ELEMENTS; ++i) words[i] = PARTS[i].of(state);
  }
  static void next(std::uint64_t* words) noexcept {
    for (std::size_t i = 0; i < ELEMENTS; ++i) words[i] = FACTOR * words[i] + STEP;
  }
  [[gnu::always_inline]] static std::uint64_t element(std::uint64_t word, std::uint64_t elements) noexcept {
    return word >> (static_cast<unsigned>(__builtin_clzll(elements)) + 1U);
  }
  template <class V>
  [[gnu::always_inline]] static typename V::Words steps(typename V::Words word) noexcept {
    static constexpr auto FACTORS = updates::lanes(FACTOR), STEPS = updates::lanes(STEP);
    return V::add(V::multiply(word, updates::everywhere<V>(FACTORS)), updates::everywhere<V>(STEPS));
  }
};
inline constexpr KernelInfo info{
    .name = "gups_lcg",
    .summary = "t[r] ^= r for random words r of a linear congruence, HPCC's RandomAccess",
    .source = "P. Luszczek et al., \"Introduction to the HPC Challenge Benchmark Suite\", 2005",
    .check = Check::recomputed,
    .operands = updates::TABLE,
    .store = Store::plain,
    .draws = &updates::DRAWS<Congruence>};

template <class V, class STORE>
struct Kernel : Walked<info, STORE>, updates::Updating<V, Congruence> {};
}  // namespace tierscope::kernels::gups_lcg
