/// The way of a set that is replaced. The state is the beginning of the set's record: 8 bytes as one value, or a byte
/// for each way. Zero is the state of an empty set.
///   lru: for up to 8 ways, a matrix of bits. Bit j of byte i is set if way i was used after way j, so the byte of the
///   oldest is zero (A. S. Tanenbaum, "Modern Operating Systems", 1992, on hardware for LRU). For more ways, a byte for
///   each way with its age: the number of other ways used after it. It is stored as the difference (xor) from the
///   number
///   of the way.
///   tree-plru: a bit for each node of a tree over the ways shows which half was used longer ago; the root is bit 1.
///     Source: H. Al-Zoubi, A. Milenkovic, M. Milenkovic, "Performance Evaluation of Cache Replacement Policies for the
///     SPEC CPU2000 Benchmark Suite", ACM Southeast Conference, 2004.
///   nru: nru.hpp.
///   random: any way with the same probability; no state.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simulate/ages.hpp"

namespace tierscope::simulate {

enum class Policy : std::uint8_t { lru, tree_plru, nru, random };

constexpr unsigned MATRIX = 8;  // most ways of a matrix in 8 bytes

inline std::uint64_t word_of(const unsigned char* record) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, record, sizeof word);
  return word;
}
inline void put_word(unsigned char* record, std::uint64_t word) noexcept { std::memcpy(record, &word, sizeof word); }

/// `row`: a bit for each way of the set.
constexpr std::uint64_t EVERY_BYTE = 0x0101010101010101U;
constexpr std::uint64_t matrix_row(unsigned ways) noexcept { return (std::uint64_t{1} << ways % 64) - 1; }
constexpr std::uint64_t matrix_use(std::uint64_t word, unsigned way, std::uint64_t row) noexcept {
  return (word | row << 8 * way) & ~(EVERY_BYTE << way);
}
/// The lowest zero byte is found exactly; those above it may be wrong (H. S. Warren, "Hacker's Delight", 2nd edition,
/// 2012, section 6-1).
constexpr unsigned matrix_oldest(std::uint64_t word) noexcept {
  return static_cast<unsigned>(std::countr_zero((word - EVERY_BYTE) & ~word & EVERY_BYTE * 128)) / 8;
}
constexpr std::uint64_t matrix_forget(std::uint64_t word, unsigned way) noexcept {
  return (word | EVERY_BYTE << way) & ~(std::uint64_t{255} << 8 * way);
}

/// The effect of each way on the bits of a tree.
class Tree {
 public:
  /// `ways`: a power of two up to 64, or 0 for none.
  explicit Tree(unsigned ways) : ways_(ways), turns_(ways) {
    for (unsigned w = 0; w < ways; ++w)
      for (unsigned node = ways + w; node > 1; node /= 2) {
        turns_[w].nodes |= std::uint64_t{1} << node / 2;
        if (node % 2 == 0) turns_[w].away |= std::uint64_t{1} << node / 2;
      }
  }
  [[nodiscard]] std::uint64_t use(std::uint64_t bits, unsigned way) const noexcept {
    return (bits & ~turns_[way].nodes) | turns_[way].away;
  }
  [[nodiscard]] unsigned oldest(std::uint64_t bits) const noexcept {
    unsigned node = 1;
    while (node < ways_) node = 2 * node + static_cast<unsigned>(bits >> node & 1U);
    return node - ways_;
  }

 private:
  struct Turn {
    std::uint64_t nodes = 0, away = 0;
  };
  unsigned ways_;
  std::vector<Turn> turns_;
};

}  // namespace tierscope::simulate
