/// The steps of a chain, the places that they draw, and the words that memory contains: one definition for the kernel,
/// its check and its simulated form. Each step draws the next place from `state`. The words of every line end in the
/// same 16 bits, so that a sum of n words ends in n times these bits if memory is right. The excess of a sum is added
/// to the state: always 0, but only the loaded data can show it, so no step starts before the data of the last read are
/// there. Places therefore follow from the seed alone, and a state that differs from the expected one shows that some
/// read was wrong. Blind to: a processor that predicts the values of loads. Source: L. Benson, L. Papke, T. Rabl,
/// "PerMA-Bench: Benchmarking Persistent Memory Access", PVLDB 15(11), 2022, for operations of several dependent
/// accesses; J. Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, for places drawn by
/// Zipf's law.
#pragma once
#include "kernels/bytes.hpp"

namespace tierscope::kernels::chain {

constexpr std::uint64_t TAG = 0x5A5B;        // odd, so that n words never end as words of zeros do, for n below 2^16
constexpr std::uint64_t TAGGED = 0xFFFF;     // the bits of a word that contain it
constexpr std::uint64_t MOST = 256U << 10U;  // bytes of a step: 2^15 words

/// Return a word of random bits that ends in the tag.
[[gnu::always_inline]] constexpr std::uint64_t tagged(std::uint64_t word) noexcept { return (word & ~TAGGED) | TAG; }
/// Return the word that the n-th write of a thread stores everywhere.
[[gnu::always_inline]] constexpr std::uint64_t written_word(std::uint64_t number) noexcept {
  return tagged(mixed(number));
}
/// Return what the sum of the words of `bytes` bytes has beyond their tags: 0 if memory is right.
[[gnu::always_inline]] constexpr std::uint64_t excess(std::uint64_t sum, std::uint64_t bytes) noexcept {
  return (sum - bytes / ELEMENT * TAG) & TAGGED;
}

/// Ranks by Zipf's law: the values of the inverse distribution at SLOTS + 1 equal steps, with straight lines between
/// them, and regions in an order that scatters neighbouring ranks. core/bench/tasks/chain_ranks.hpp makes them.
struct Ranks {
  static constexpr unsigned SLOT_BITS = 10, FRACTION_BITS = 24;
  static constexpr std::size_t SLOTS = std::size_t{1} << SLOT_BITS;
  std::array<std::uint64_t, SLOTS + 1> quantile{};
  std::uint64_t scatter = 0;  // 2^64 times the regions from one rank to the next, over all regions
};

/// Whether this processor family has stores that bypass the caches.
#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool PASSES_CACHES = true;
#else
constexpr bool PASSES_CACHES = false;
#endif

enum class Act : std::uint8_t { read, write, write_nt };

struct Step {
  Act act = Act::read;
  bool fences = false;         // the next step begins when all stores are done
  Flush flush = Flush::none;   // of each line written
  std::uint64_t bytes = LINE;  // of a region
  std::uint64_t regions = 1;
  std::byte* base = nullptr;     // of the first region
  const Ranks* ranks = nullptr;  // null: uniform
};

/// The data that `Pass::operand[3]` points at.
struct Steps {
  const Step* first = nullptr;
  std::size_t count = 0;
  std::size_t line = LINE;  // bytes that one flush takes
  bool zipf = false;        // all steps have ranks
};

[[gnu::always_inline]] constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64U);
}

/// Return the region that a state draws.
struct Uniform {
  [[gnu::always_inline]] static std::uint64_t region(const Step& step, std::uint64_t state) noexcept {
    return high(state, step.regions);
  }
};
struct Zipfian {
  /// Return the rank; 0 is drawn most often.
  [[gnu::always_inline]] static std::uint64_t rank(const Ranks& ranks, std::uint64_t state) noexcept {
    const auto slot = state >> (64U - Ranks::SLOT_BITS);
    const auto from = ranks.quantile[slot], to = ranks.quantile[slot + 1];
    return (from + high(to - from, state << Ranks::SLOT_BITS)) >> Ranks::FRACTION_BITS;
  }
  /// Return the place of a rank: rank * k modulo the number of regions, for a k prime to it. Exact for up to 2^32
  /// regions, since the fraction `scatter` is off by less than 2^-64.
  [[gnu::always_inline]] static std::uint64_t place(const Ranks& ranks, std::uint64_t regions,
                                                    std::uint64_t rank) noexcept {
    return high(rank * ranks.scatter, regions);
  }
  [[gnu::always_inline]] static std::uint64_t region(const Step& step, std::uint64_t state) noexcept {
    return place(*step.ranks, step.regions, rank(*step.ranks, state));
  }
};

/// Return the bytes from the base to the region of a step of either kind, where time does not matter.
inline std::uint64_t offset_of(const Step& step, std::uint64_t state) noexcept {
  const auto region = step.ranks == nullptr ? Uniform::region(step, state) : Zipfian::region(step, state);
  return region * step.bytes;
}
/// Return the place of that region in memory that exists.
inline std::byte* place_of(const Step& step, std::uint64_t state) noexcept {
  return step.base + offset_of(step, state);
}

}  // namespace tierscope::kernels::chain
