/// The common part of the two maps with chained buckets: the hash, and when they grow and shrink.
/// Source: J. L. Carter, M. N. Wegman, "Universal Classes of Hash Functions", JCSS 18(2), 1979; its prime and the
/// thresholds are those of PMDK's maps, so that the two can be compared.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"

namespace tierscope::structures::chains {

constexpr std::uint64_t PRIME = 32212254719U;
constexpr std::uint64_t FIRST = 10;  // buckets at the start; always 10 * 2^k

/// ((a * key + b) mod PRIME) mod buckets, in words of 64 bits that wrap around.
struct Hash {
  std::uint64_t a, b;
  static Hash drawn(std::uint64_t seed) noexcept { return {random_word(seed, 0) | 1U, random_word(seed, 1)}; }
  [[nodiscard]] std::uint64_t of(std::uint64_t key, std::uint64_t buckets) const noexcept {
    return (a * key + b) % PRIME % buckets;
  }
};

/// Returns whether a table can have this number of buckets: it is divided by, and halved.
constexpr bool is_number(std::uint64_t buckets) noexcept {
  return buckets >= FIRST && buckets % FIRST == 0 && std::has_single_bit(buckets / FIRST);
}

/// After an insert into a chain that has `length` entries now.
constexpr bool too_small(std::uint64_t length, std::uint64_t count, std::uint64_t buckets) noexcept {
  return length > 10 || (length > 5 && count > 2 * buckets);
}

constexpr bool too_large(std::uint64_t count, std::uint64_t buckets) noexcept {
  return count < buckets && buckets > FIRST;
}

/// Returns the most buckets of a map of this number of keys: about one for each, and one more step where a chain got
/// long.
constexpr std::uint64_t most(std::uint64_t keys) { return keys < FIRST ? FIRST : 2 * keys; }

}  // namespace tierscope::structures::chains
