/// Who is replaced in a set, as a word of its record, or as one byte for each way where a word is too short. Zero is
/// the state of an empty set.
///   lru: the ways in the order of their use, the last one first, four bits each; stored as the difference (xor) from
///   0, 1, 2, ... Above 16 ways: bytes in memory.
///   tree-plru: a bit for each node of a tree over the ways says which half was used longer ago; the root is bit 1.
///     Source: H. Al-Zoubi, A. Milenkovic, M. Milenkovic, "Performance Evaluation of Cache Replacement Policies for the
///     SPEC CPU2000 Benchmark Suite", ACM Southeast Conference, 2004.
///   random: any way, each as likely; no state.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tierscope::simulate {

enum class Policy : std::uint8_t { lru, tree_plru, random };

constexpr unsigned NIBBLES = 16;  // ways that a word holds in order

inline std::uint64_t word_of(const unsigned char* record) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, record, sizeof word);
  return word;
}
inline void put_word(unsigned char* record, std::uint64_t word) noexcept { std::memcpy(record, &word, sizeof word); }

constexpr std::uint64_t IN_ORDER = 0xFEDCBA9876543210U, ONES = 0x1111111111111111U;

/// Where `way` stands in an order, in bits. The lowest zero nibble is found exactly, those above it may be false
/// (H. S. Warren, "Hacker's Delight", 2nd edition, 2012, section 6-1).
constexpr unsigned nibble_place(std::uint64_t order, unsigned way) noexcept {
  const std::uint64_t zero_here = order ^ way * ONES;
  return static_cast<unsigned>(std::countr_zero((zero_here - ONES) & ~zero_here & ONES * 8)) & ~3U;
}
constexpr std::uint64_t nibble_use(std::uint64_t word, unsigned way) noexcept {
  const std::uint64_t order = word ^ IN_ORDER;
  const std::uint64_t nearer = (std::uint64_t{1} << nibble_place(order, way)) - 1;
  const std::uint64_t farther = ~(nearer << 4U | 15U);
  return ((order & farther) | (order & nearer) << 4U | way) ^ IN_ORDER;
}
constexpr unsigned nibble_oldest(std::uint64_t word, unsigned ways) noexcept {
  return static_cast<unsigned>((word ^ IN_ORDER) >> 4 * (ways - 1) & 15U);
}
/// The oldest way, which stands at the bit `last`, becomes the newest.
constexpr std::uint64_t nibble_turn(std::uint64_t word, unsigned way, unsigned last) noexcept {
  const std::uint64_t order = word ^ IN_ORDER;
  const std::uint64_t turned = (std::uint64_t{15} << last) | ((std::uint64_t{1} << last) - 1);
  return ((order & ~turned) | ((order << 4U | way) & turned)) ^ IN_ORDER;
}
/// The way becomes the oldest: those behind it, up to the last of `ways`, move one place nearer.
constexpr std::uint64_t nibble_forget(std::uint64_t word, unsigned way, unsigned ways) noexcept {
  const std::uint64_t order = word ^ IN_ORDER;
  const std::uint64_t nearer = (std::uint64_t{1} << nibble_place(order, way)) - 1;
  const std::uint64_t last = std::uint64_t{15} << 4 * (ways - 1);
  const std::uint64_t beyond = ~(last | (last - 1));
  const std::uint64_t between = ~(nearer | beyond | last);
  return ((order & (nearer | beyond)) | (order >> 4U & between) | std::uint64_t{way} << 4 * (ways - 1)) ^ IN_ORDER;
}

inline unsigned byte_place(const unsigned char* order, unsigned way) noexcept {
  unsigned place = 0;
  while ((order[place] ^ place) != way) ++place;
  return place;
}
inline void byte_use(unsigned char* order, unsigned way) noexcept {
  for (unsigned p = byte_place(order, way); p != 0; --p)
    order[p] = static_cast<unsigned char>(order[p - 1] ^ (p - 1) ^ p);
  order[0] = static_cast<unsigned char>(way);
}
inline unsigned byte_oldest(const unsigned char* order, unsigned ways) noexcept { return order[ways - 1] ^ (ways - 1); }
inline void byte_forget(unsigned char* order, unsigned way, unsigned ways) noexcept {
  for (unsigned p = byte_place(order, way); p + 1 < ways; ++p)
    order[p] = static_cast<unsigned char>(order[p + 1] ^ (p + 1) ^ p);
  order[ways - 1] = static_cast<unsigned char>(way ^ (ways - 1));
}

/// What each way does to the bits of a tree.
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
