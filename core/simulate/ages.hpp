/// LRU of up to 128 ways. Each way has a byte with its age: the number of other ways that were used after it. The byte
/// is stored as the difference (xor) from the number of the way, so that zeros are the ages 0, 1, 2, ... One operation
/// changes the ages of 16 ways.
#pragma once
#include <bit>

#include "simulate/bytes16.hpp"

namespace tierscope::simulate {

constexpr unsigned CHUNK = 16;  // bytes that one operation compares

/// The ages of `CHUNK` ways from way `first` on.
class Ages {
 public:
#ifdef TIERSCOPE_BYTES16
  Ages(unsigned char* ages, unsigned first) noexcept
      : at_(ages + first), numbers_(Bytes16::counted() + Bytes16::splat(first)), ages_(Bytes16::load(at_) ^ numbers_) {}
  /// Make the ages below `age` one step older.
  void step_below(unsigned age) noexcept { store(ages_ - above(Bytes16::splat(age), ages_)); }
  /// Make the ages above `age`, up to `most`, one step younger.
  void step_above(unsigned age, unsigned most) noexcept {
    store(ages_ + without(above(ages_, Bytes16::splat(most)), above(ages_, Bytes16::splat(age))));
  }
  /// Return a bit for each way whose age is `age`.
  [[nodiscard]] unsigned equal(unsigned age) const noexcept {
    return simulate::equal(ages_, Bytes16::splat(age)).bits();
  }

 private:
  void store(Bytes16 ages) noexcept { (ages ^ numbers_).store(at_); }
  unsigned char* at_;
  Bytes16 numbers_, ages_;
#else
  Ages(unsigned char* ages, unsigned first) noexcept : at_(ages + first), first_(first) {
    for (unsigned w = 0; w < CHUNK; ++w) ages_[w] = at_[w] ^ (first + w);
  }
  void step_below(unsigned age) noexcept {
    for (unsigned w = 0; w < CHUNK; ++w) store(w, ages_[w] + (ages_[w] < age));
  }
  void step_above(unsigned age, unsigned most) noexcept {
    for (unsigned w = 0; w < CHUNK; ++w) store(w, ages_[w] - (ages_[w] > age && ages_[w] <= most));
  }
  [[nodiscard]] unsigned equal(unsigned age) const noexcept {
    unsigned found = 0;
    for (unsigned w = 0; w < CHUNK; ++w) found |= unsigned{ages_[w] == age} << w;
    return found;
  }

 private:
  void store(unsigned w, unsigned age) noexcept { at_[w] = static_cast<unsigned char>(age ^ (first_ + w)); }
  unsigned char* at_;
  unsigned first_;
  unsigned ages_[CHUNK];
#endif
};

inline void age_use(unsigned char* ages, unsigned way, unsigned ways) noexcept {
  const unsigned age = ages[way] ^ way;
  for (unsigned first = 0; first < ways; first += CHUNK) Ages(ages, first).step_below(age);
  ages[way] = static_cast<unsigned char>(way);
}
inline unsigned age_oldest(unsigned char* ages, unsigned ways) noexcept {
  for (unsigned first = 0;; first += CHUNK)
    if (const auto found = Ages(ages, first).equal(ways - 1); found != 0)
      return first + static_cast<unsigned>(std::countr_zero(found));
}
/// Make the way the oldest.
inline void age_forget(unsigned char* ages, unsigned way, unsigned ways) noexcept {
  const unsigned age = ages[way] ^ way;
  for (unsigned first = 0; first < ways; first += CHUNK) Ages(ages, first).step_above(age, ways - 1);
  ages[way] = static_cast<unsigned char>(way ^ (ways - 1));
}

}  // namespace tierscope::simulate
