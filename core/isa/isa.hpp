/// An ISA is how a kernel accesses memory: a type with static functions on vectors of `bytes` bytes. A prefetch must be
/// volatile assembly, or contain some: GCC takes a function of nothing but __builtin_prefetch for one without effect
/// and drops its calls. A new ISA is one file here; cmake/isa.cmake reads its line `Build:`. Kernels are written on
/// this concept alone.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tierscope::isa {

template <class V>
concept Isa = requires(const std::byte* from, std::byte* to, typename V::Reals real, typename V::Words word,
                       typename V::Reals (&square)[V::bytes / 8]) {
  { V::bytes } -> std::convertible_to<std::size_t>;
  { V::reals(from) } -> std::same_as<typename V::Reals>;
  { V::words(from) } -> std::same_as<typename V::Words>;
  { V::reals_near(from) } -> std::same_as<typename V::Reals>;    // from any multiple of 8 bytes
  { V::gather(from, word) } -> std::same_as<typename V::Reals>;  // lane i: the word[i]th real behind `from`
  V::scatter(to, word, real);                                    // also in the order of the lanes
  { V::broadcast(1.0) } -> std::same_as<typename V::Reals>;
  { V::add(real, real) } -> std::same_as<typename V::Reals>;
  { V::multiply(real, real) } -> std::same_as<typename V::Reals>;
  { V::multiply_add(real, real, real) } -> std::same_as<typename V::Reals>;  // a * b + c
  { V::zero() } -> std::same_as<typename V::Words>;
  { V::add(word, word) } -> std::same_as<typename V::Words>;       // 64-bit lanes, wrapping
  { V::multiply(word, word) } -> std::same_as<typename V::Words>;  // low halves of the products
  { V::exclusive_or(word, word) } -> std::same_as<typename V::Words>;
  { V::where_negative(word, word) } -> std::same_as<typename V::Words>;  // lanes of the second, 0 elsewhere
  { V::sum(word) } -> std::same_as<std::uint64_t>;
  { V::sum(real) } -> std::same_as<double>;
  V::transpose(square);  // as many vectors as one has reals
  V::store(to, real);
  V::store(to, word);
  { V::non_temporal } -> std::convertible_to<bool>;  // has store_nt
  { V::reference } -> std::convertible_to<bool>;     // is the scalar code that others are checked against
  V::prefetch(from);                                 // for a load
  V::prefetch_write(from);                           // for a store
};

}  // namespace tierscope::isa
