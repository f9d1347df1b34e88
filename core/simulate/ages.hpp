/// LRU of any number of ways up to 128: a byte for each, its age, which is how many others were used after it; stored
/// as the difference (xor) from the number of the way, so that zeros are the ages 0, 1, 2, ... 16 of them change at
/// once.
#pragma once
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tierscope::simulate {

constexpr unsigned CHUNK = 16;  // bytes that are compared at once

/// The ages of `CHUNK` ways, the first of which is `first`.
class Ages {
 public:
#ifdef __SSE2__
  /// @param value  below 256
  static __m128i splat(unsigned value) noexcept { return _mm_set1_epi32(static_cast<int>(value * 0x01010101U)); }
#endif
  Ages(unsigned char* ages, unsigned first) noexcept : at_(ages + first) {
#ifdef __SSE2__
    numbers_ = _mm_add_epi8(_mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), splat(first));
    ages_ = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at_)), numbers_);
#else
    for (unsigned w = 0; w < CHUNK; ++w) ages_[w] = at_[w] ^ (first + w);
    first_ = first;
#endif
  }
  /// Those below `age` are a step older.
  void step_below(unsigned age) noexcept {
#ifdef __SSE2__
    store(_mm_sub_epi8(ages_, _mm_cmpgt_epi8(splat(age), ages_)));
#else
    for (unsigned w = 0; w < CHUNK; ++w) store(w, ages_[w] + (ages_[w] < age));
#endif
  }
  /// Those above `age`, up to `most`, are a step younger.
  void step_above(unsigned age, unsigned most) noexcept {
#ifdef __SSE2__
    store(_mm_add_epi8(ages_, _mm_andnot_si128(_mm_cmpgt_epi8(ages_, splat(most)), _mm_cmpgt_epi8(ages_, splat(age)))));
#else
    for (unsigned w = 0; w < CHUNK; ++w) store(w, ages_[w] - (ages_[w] > age && ages_[w] <= most));
#endif
  }
  /// A bit for each that is `age`.
  [[nodiscard]] unsigned equal(unsigned age) const noexcept {
#ifdef __SSE2__
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(ages_, splat(age))));
#else
    unsigned found = 0;
    for (unsigned w = 0; w < CHUNK; ++w) found |= unsigned{ages_[w] == age} << w;
    return found;
#endif
  }

 private:
  unsigned char* at_;
#ifdef __SSE2__
  void store(__m128i ages) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at_), _mm_xor_si128(ages, numbers_));
  }
  __m128i numbers_, ages_;
#else
  void store(unsigned w, unsigned age) noexcept { at_[w] = static_cast<unsigned char>(age ^ (first_ + w)); }
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
/// The way becomes the oldest.
inline void age_forget(unsigned char* ages, unsigned way, unsigned ways) noexcept {
  const unsigned age = ages[way] ^ way;
  for (unsigned first = 0; first < ways; first += CHUNK) Ages(ages, first).step_above(age, ways - 1);
  ages[way] = static_cast<unsigned char>(way ^ (ways - 1));
}

}  // namespace tierscope::simulate
