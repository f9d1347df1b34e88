/// The inner part of a cache of at most 16 ways with LRU, for lists of touches. It copies the cache's constants, so
/// that they stay in registers. One operation looks a line up and inserts it.
#pragma once
#include "simulate/cache.hpp"

namespace tierscope::simulate {

/// A line's entry now, and the line that it replaced: 0 if the place was empty, `HELD` if the line was present before.
struct Taken {
  Entry now, victim;
};
constexpr Entry HELD = ADDRESS;

/// @param BYTES  of tags in a record of this cache: 8 or 16
/// @param POWER  whether it has a power of two of sets
template <unsigned BYTES, bool POWER>
class LruWays {
 public:
  static bool suits(const Cache& cache) noexcept {
    return cache.policy_ == Policy::lru && cache.prints_ == BYTES && cache.ways_ <= BYTES &&
           cache.sets_.power() == POWER;
  }
  explicit LruWays(Cache& cache) noexcept
      : cache_(&cache),
        sets_(cache.sets_),
        count_(cache.count_),
        ways_(cache.ways_),
        entries_(cache.entries_.at(0)),
        records_(cache.records_.at(0)),
        newest_(cache.last_) {}

  void announce(std::uint64_t touch) const noexcept { __builtin_prefetch(record(place(touch).rest), 1); }
  /// Prefetch the entry that `touch` will most likely use.
  void expect(std::uint64_t touch) const noexcept {
    const auto [tag, set] = place(touch);
    unsigned char* const record = this->record(set);
    const unsigned found = Cache::alike<BYTES>(record + BYTES, Cache::print_of(tag));
    const unsigned likely = found != 0 ? static_cast<unsigned>(std::countr_zero(found)) : oldest(record);
    __builtin_prefetch(entry(set, likely), 1);
  }
  /// As AnyWays.
  [[gnu::always_inline]] Taken take(std::uint64_t line, bool use, Entry dirty) noexcept {
    const auto [tag, set] = place(line);
    unsigned char* const record = this->record(set);
    const unsigned print = Cache::print_of(tag);
    for (auto found = Cache::alike<BYTES>(record + BYTES, print); found != 0; found &= found - 1) {
      const auto way = static_cast<unsigned>(std::countr_zero(found));
      Entry* const held = entry(set, way);
      const Entry now = *held | dirty;
      if ((now & KEY) != (line | VALID)) continue;
      if (dirty != 0) *held = now;
      if (!use) return {now, HELD};
      this->use(record, way);
      newest_ = held;
      return {now, HELD};
    }
    const unsigned way = oldest(record);
    newest_ = entry(set, way);
    const Entry victim = *newest_, now = line | VALID | dirty;
    *newest_ = now;
    record[BYTES + way] = static_cast<unsigned char>(print);
    this->use(record, way);
    filled_ += victim == 0;
    return {now, victim};
  }
  void end() noexcept {
    cache_->holes_ -= filled_;
    cache_->used_ = true;
    cache_->last_ = newest_;
  }

 private:
  [[nodiscard]] Modulus::Parts place(std::uint64_t line) const noexcept {
    return POWER ? sets_.of_power(line / 64) : sets_.of(line / 64);
  }
  [[nodiscard]] unsigned char* record(std::uint64_t set) const noexcept { return records_ + set * 2 * BYTES; }
  [[nodiscard]] Entry* entry(std::uint64_t set, unsigned way) const noexcept { return entries_ + way * count_ + set; }
  [[nodiscard]] unsigned oldest(unsigned char* record) const noexcept {
    return BYTES == MATRIX ? matrix_oldest(word_of(record))
                           : static_cast<unsigned>(std::countr_zero(Ages(record, 0).equal(ways_ - 1)));
  }
  void use(unsigned char* record, unsigned way) const noexcept {
    if constexpr (BYTES == MATRIX) {
      put_word(record, matrix_use(word_of(record), way, matrix_row(ways_)));
    } else {
      Ages(record, 0).step_below(record[way] ^ way);
      record[way] = static_cast<unsigned char>(way);
    }
  }

  Cache* cache_;
  Modulus sets_;
  std::uint64_t count_, filled_ = 0;
  unsigned ways_;
  Entry* entries_;
  unsigned char* records_;
  Entry* newest_;
};

}  // namespace tierscope::simulate
