/// One cache: the lines that it contains, and the line that a new one replaces. It does not model time.
/// Entries never move. Each set also has a record: the state of its policy, and a byte of each line's tag. One
/// comparison of 16 bytes therefore finds the ways that are worth a look. Entries are stored way by way, so that sets
/// with neighbouring numbers are near each other.
#pragma once
#include <algorithm>
#include <bit>

#include "base/random.hpp"
#include "simulate/entry.hpp"
#include "simulate/modulus.hpp"
#include "simulate/nru.hpp"
#include "simulate/replacement.hpp"
#include "simulate/zeros.hpp"

namespace tierscope::simulate {

/// A line's new entry, and the line that it replaced, or 0.
struct Filled {
  Entry* entry;
  Entry victim;
};

template <unsigned BYTES, bool POWER>
class LruWays;

class Cache {
 public:
  static constexpr unsigned MOST_WAYS = 128;  // a search visits each entry
  /// `ways` at most MOST_WAYS; for tree_plru a power of two up to 64, for nru up to 64.
  Cache(std::uint64_t sets, unsigned ways, Policy policy, std::uint64_t seed)
      : sets_(sets),
        count_(sets),
        ways_(ways),
        policy_(policy),
        prints_(ways <= CHUNK / 2 ? CHUNK / 2 : (ways + CHUNK - 1) / CHUNK * CHUNK),
        order_(policy == Policy::lru && ways > MATRIX ? prints_ : sizeof(std::uint64_t)),
        stride_(order_ + prints_),
        holes_(sets * ways),
        seed_(seed),
        entries_(sets * prints_),
        records_(sets * stride_),
        turns_(policy == Policy::tree_plru ? ways : 0),
        last_(entries_.at(0)) {}

  /// Return the location of the entry that was used last.
  [[nodiscard]] Entry* const* last() const noexcept { return &last_; }
  [[nodiscard]] std::uint64_t sets() const noexcept { return count_; }
  [[nodiscard]] bool used() const noexcept { return used_; }
  /// Prefetch the set of a line that will be looked up.
  void announce(std::uint64_t line) const noexcept { __builtin_prefetch(record(sets_.of(line / 64).rest), 1); }

  /// Use the line; return null if it is absent. `line` is a multiple of 64.
  [[gnu::always_inline]] Entry* touch(std::uint64_t line) noexcept {
    const auto [tag, set] = sets_.of(line / 64);
    if (policy_ == Policy::lru && ways_ <= CHUNK / 2) return touch_lru<CHUNK / 2>(tag, set, line | VALID);
    if (policy_ == Policy::lru && ways_ <= CHUNK) return touch_lru<CHUNK>(tag, set, line | VALID);
    const unsigned way = search(tag, set, line | VALID);
    if (way == ABSENT) return nullptr;
    use(record(set), way);
    return last_ = entry(set, way);
  }
  /// Insert a line that is absent.
  Filled fill(std::uint64_t line) noexcept {
    const auto [tag, set] = sets_.of(line / 64);
    unsigned char* const record = this->record(set);
    const unsigned way = make_room(set, record);
    last_ = entry(set, way);
    const Entry victim = *last_;
    *last_ = line | VALID;
    record[order_ + way] = static_cast<unsigned char>(print_of(tag));
    holes_ -= victim == 0;
    used_ = true;
    use(record, way);
    return {last_, victim};
  }
  /// Return the number of an entry, below `entries`.
  [[nodiscard]] std::size_t index(const Entry* entry) const noexcept {
    return static_cast<std::size_t>(entry - entries_.at(0));
  }
  [[nodiscard]] std::size_t entries() const noexcept { return count_ * ways_; }
  /// Return the line's entry without using it; null if it is absent.
  [[nodiscard]] Entry* find(std::uint64_t line) const noexcept {
    const auto [tag, set] = sets_.of(line / 64);
    const unsigned way = search(tag, set, line | VALID);
    return way == ABSENT ? nullptr : entry(set, way);
  }
  /// Return whether another cache has as many sets and ways, the same policy, and the same seed of its chance.
  [[nodiscard]] bool like(const Cache& other) const noexcept {
    return count_ == other.count_ && ways_ == other.ways_ && policy_ == other.policy_ && seed_ == other.seed_;
  }
  /// Take the lines and the order of a cache that is `like` this one.
  void copy(const Cache& from) noexcept {
    entries_.copy(from.entries_, count_ * ways_);
    records_.copy(from.records_, count_ * stride_);
    last_ = entries_.at(static_cast<std::size_t>(from.last_ - from.entries_.at(0)));
    holes_ = from.holes_;
    draws_ = from.draws_;
    used_ = from.used_;
  }
  /// Remove the line and return its entry; 0 if it was absent. The next line of its set fills its way.
  Entry drop(std::uint64_t line) noexcept {
    const auto [tag, set] = sets_.of(line / 64);
    const unsigned way = search(tag, set, line | VALID);
    if (way == ABSENT) return 0;
    const Entry was = *entry(set, way);
    *entry(set, way) = 0;
    record(set)[order_ + way] = 0;
    ++holes_;
    if (policy_ == Policy::lru) forget(record(set), way);
    return was;
  }

 private:
  template <unsigned BYTES, bool POWER>
  friend class LruWays;  // lru_ways.hpp: many lines in one call
  static constexpr unsigned ABSENT = ~0U;

  [[nodiscard]] Entry* entry(std::uint64_t set, unsigned way) const noexcept { return entries_.at(way * count_ + set); }
  [[nodiscard]] unsigned char* record(std::uint64_t set) const noexcept { return records_.at(set * stride_); }
  /// Not 0 for the lowest tags, so that they never match an empty way.
  static unsigned print_of(std::uint64_t tag) noexcept { return static_cast<unsigned>(tag + 1) & 255U; }

  /// Return a bit for each of BYTES bytes that is `print`. It reads no byte behind them: that is the value of the next
  /// set, and a read right after a write to it waits.
  template <unsigned BYTES>
  static unsigned alike(const unsigned char* prints, unsigned print) noexcept {
#ifdef TIERSCOPE_BYTES16
    const auto bytes = BYTES == CHUNK ? Bytes16::load(prints) : Bytes16::load8(prints);
    return equal(bytes, Bytes16::splat(print)).bits() & ((1U << BYTES) - 1);
#else
    unsigned found = 0;
    for (unsigned w = 0; w < BYTES; ++w) found |= unsigned{prints[w] == print} << w;
    return found;
#endif
  }
  /// Return the way among BYTES of them from `first` on, or ABSENT.
  template <unsigned BYTES>
  [[nodiscard]] unsigned search_in(const unsigned char* record, unsigned first, unsigned print, std::uint64_t set,
                                   Entry key) const noexcept {
    for (auto found = alike<BYTES>(record + order_ + first, print); found != 0; found &= found - 1) {
      const unsigned way = first + static_cast<unsigned>(std::countr_zero(found));
      if ((*entry(set, way) & KEY) == key) return way;
    }
    return ABSENT;
  }
  template <unsigned BYTES>
  [[gnu::always_inline]] Entry* touch_lru(std::uint64_t tag, std::uint64_t set, Entry key) noexcept {
    unsigned char* const record = records_.at(set * 2 * BYTES);
    const unsigned way = search_in<BYTES>(record, 0, print_of(tag), set, key);
    if (way == ABSENT) return nullptr;
    use(record, way);
    return last_ = entry(set, way);
  }
  [[nodiscard]] unsigned search(std::uint64_t tag, std::uint64_t set, Entry key) const noexcept {
    if (ways_ <= CHUNK / 2) return search_in<CHUNK / 2>(record(set), 0, print_of(tag), set, key);
    for (unsigned first = 0; first < ways_; first += CHUNK)
      if (const auto way = search_in<CHUNK>(record(set), first, print_of(tag), set, key); way != ABSENT) return way;
    return ABSENT;
  }
  /// Return the way for the next line: an empty one first. With lru, the empty ways are the oldest anyway.
  [[nodiscard]] unsigned make_room(std::uint64_t set, unsigned char* record) noexcept {
    if (policy_ != Policy::lru && holes_ != 0)
      if (const auto way = hole(set, record); way != ABSENT) return way;
    if (policy_ == Policy::random) return static_cast<unsigned>((random_word(seed_, draws_++) >> 32U) * ways_ >> 32U);
    if (policy_ == Policy::tree_plru) return turns_.oldest(word_of(record));
    if (policy_ == Policy::nru) return nru_pick(word_of(record), ways_, random_word(seed_, draws_++) >> 32U);
    if (ways_ <= MATRIX) return matrix_oldest(word_of(record));
    return age_oldest(record, ways_);
  }
  /// Return the first empty way, or ABSENT. The byte of its tag is 0.
  [[nodiscard]] unsigned hole(std::uint64_t set, const unsigned char* record) const noexcept {
    for (unsigned w = 0; w < ways_; ++w)
      if (record[order_ + w] == 0 && *entry(set, w) == 0) return w;
    return ABSENT;
  }
  void use(unsigned char* record, unsigned way) const noexcept {
    if (policy_ == Policy::random) return;
    if (policy_ == Policy::tree_plru) return put_word(record, turns_.use(word_of(record), way));
    if (policy_ == Policy::nru) return put_word(record, nru_use(word_of(record), way, ways_));
    if (ways_ <= MATRIX) return put_word(record, matrix_use(word_of(record), way, matrix_row(ways_)));
    age_use(record, way, ways_);
  }
  void forget(unsigned char* record, unsigned way) const noexcept {
    if (ways_ <= MATRIX) return put_word(record, matrix_forget(word_of(record), way));
    age_forget(record, way, ways_);
  }

  Modulus sets_;
  std::uint64_t count_;  // of sets
  unsigned ways_;
  Policy policy_;
  bool used_ = false;
  std::size_t prints_, order_, stride_;  // bytes of tags, and of the order before them, in a record; of a record
  std::uint64_t holes_;                  // empty entries
  std::uint64_t seed_, draws_ = 0;
  Zeros<Entry> entries_;
  Zeros<unsigned char> records_;
  Tree turns_;
  Entry* last_;
};

}  // namespace tierscope::simulate
