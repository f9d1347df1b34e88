/// A cache of at most 16 ways that replaces the least recently used one, as its lists of touches need it: its facts
/// are copied, so that they stay in registers, and a line is looked up and taken in at once.
#pragma once
#include "simulate/cache.hpp"

namespace tierscope::simulate {

/// @param BYTES  of tags in a record of this cache: 8 or 16
template <unsigned BYTES>
class LruWays {
 public:
  static constexpr Entry HELD = ADDRESS;  // no victim: the line was here

  static bool suits(const Cache& cache) noexcept {
    return cache.policy_ == Policy::lru && cache.ways_ <= NIBBLES && cache.prints_ == BYTES;
  }
  explicit LruWays(Cache& cache) noexcept
      : cache_(&cache),
        sets_(cache.sets_),
        count_(cache.count_),
        last_(4 * (cache.ways_ - 1)),
        entries_(cache.entries_.at(0)),
        records_(cache.records_.at(0)),
        newest_(cache.last_) {}

  void announce(std::uint64_t touch) const noexcept { __builtin_prefetch(record(sets_.of(touch / 64).rest), 1); }
  /// Its entry will be looked at, most likely.
  void expect(std::uint64_t touch) const noexcept {
    const auto [tag, set] = sets_.of(touch / 64);
    unsigned char* const record = this->record(set);
    const unsigned found = Cache::alike<BYTES>(record + sizeof(std::uint64_t), Cache::print_of(tag));
    const unsigned oldest = oldest_of(word_of(record));
    __builtin_prefetch(entry(set, found != 0 ? static_cast<unsigned>(std::countr_zero(found)) : oldest), 1);
  }
  /// The entry of the line, and whom it replaced; `use` is false of what is only written back: it stays as old as it
  /// was if it is there.
  Filled take(std::uint64_t line, bool use) noexcept {
    const auto [tag, set] = sets_.of(line / 64);
    unsigned char* const record = this->record(set);
    const std::uint64_t word = word_of(record);
    const auto print = Cache::print_of(tag);
    for (auto found = Cache::alike<BYTES>(record + sizeof word, print); found != 0; found &= found - 1) {
      const auto way = static_cast<unsigned>(std::countr_zero(found));
      Entry* const held = entry(set, way);
      if ((*held & KEY) != (line | VALID)) continue;
      if (use) put_word(record, nibble_use(word, way));
      if (use) newest_ = held;
      return {held, HELD};
    }
    const unsigned way = oldest_of(word);
    Entry* const place = newest_ = entry(set, way);
    const Entry victim = *place;
    *place = line | VALID;
    record[sizeof word + way] = print;
    put_word(record, nibble_turn(word, way, last_));
    filled_ += victim == 0;
    return {place, victim};
  }
  void end() noexcept {
    cache_->holes_ -= filled_;
    cache_->used_ = true;
    cache_->last_ = newest_;
  }

 private:
  [[nodiscard]] unsigned char* record(std::uint64_t set) const noexcept {
    return records_ + set * (sizeof(std::uint64_t) + BYTES);
  }
  [[nodiscard]] Entry* entry(std::uint64_t set, unsigned way) const noexcept { return entries_ + way * count_ + set; }
  [[nodiscard]] unsigned oldest_of(std::uint64_t word) const noexcept {
    return static_cast<unsigned>((word ^ IN_ORDER) >> last_ & 15U);
  }

  Cache* cache_;
  Modulus sets_;
  std::uint64_t count_, filled_ = 0;
  unsigned last_;  // place of the oldest way in the order, in bits
  Entry* entries_;
  unsigned char* records_;
  Entry* newest_;
};

}  // namespace tierscope::simulate
