/// Histograms in fixed memory, and ranks that follow Zipf's law.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/histogram.hpp"
#include "base/random.hpp"
#include "base/zipf.hpp"

using namespace tierscope;

TEST_CASE("every number has one place, whose least number is at most 1/64 below it, and places rise") {
  std::size_t before = 0;
  for (unsigned bits = 0; bits < 64; ++bits)
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto number = (std::uint64_t{1} << bits) + (random_word(bits, i) & ((std::uint64_t{1} << bits) - 1));
      const auto place = Histogram::place(number);
      CAPTURE(number);
      REQUIRE(place < Histogram::PLACES);
      const auto least = Histogram::least(place);
      REQUIRE(least <= number);
      REQUIRE((number - least) <= number / 64);
      REQUIRE(Histogram::place(least) == place);
    }
  for (std::size_t place = 0; place + 1 < Histogram::PLACES; ++place)
    before += Histogram::least(place) < Histogram::least(place + 1) ? 1U : 0U;
  CHECK(before == Histogram::PLACES - 1);
  CHECK(Histogram::place(~std::uint64_t{0}) == Histogram::PLACES - 1);
}

TEST_CASE("numbers below 128 are exact, and histograms merge by adding") {
  Histogram one, other;
  for (std::uint64_t number = 0; number < 128; ++number) one.add(number);
  other.add(5);
  other.add(1000);
  one.merge(other);
  CHECK(one.at(5) == 2);
  CHECK(one.at(127) == 1);
  CHECK(one.at(Histogram::place(1000)) == 1);
}

TEST_CASE("the text of a histogram names the places that are not empty, as distances") {
  Histogram histogram;
  CHECK(histogram.text().empty());
  for (const std::uint64_t number : {3U, 3U, 10U, 130U}) histogram.add(number);
  CHECK(histogram.text() == "3:2 7:1 119:1");  // 130 is in place 129, with 131
}

TEST_CASE("ranks follow Zipf's law, at every exponent") {
  constexpr std::uint64_t RANKS = 50, DRAWS = 40000;
  for (const double exponent : {0.3, 0.99, 1.0, 2.0}) {
    CAPTURE(exponent);
    const Zipf zipf(RANKS, exponent);
    std::vector<double> seen(RANKS);
    std::uint64_t drawn = 0;
    for (std::uint64_t i = 0; i < DRAWS; ++i) {
      const auto rank = zipf.draw([&] { return random_word(7, drawn++); });
      REQUIRE(rank < RANKS);
      seen[rank] += 1;
    }
    CHECK(drawn < DRAWS * 13 / 10);
    double sum = 0;
    for (std::uint64_t rank = 0; rank < RANKS; ++rank) sum += std::pow(static_cast<double>(rank + 1), -exponent);
    double chi = 0;
    for (std::uint64_t rank = 0; rank < RANKS; ++rank) {
      const double wanted = DRAWS * std::pow(static_cast<double>(rank + 1), -exponent) / sum;
      chi += (seen[rank] - wanted) * (seen[rank] - wanted) / wanted;
    }
    CHECK(chi < 85.4);  // of 49 degrees of freedom: once in a thousand by chance
  }
}

TEST_CASE("one rank alone is always drawn") {
  const Zipf zipf(1, 0.99);
  std::uint64_t drawn = 0;
  for (int i = 0; i < 100; ++i) REQUIRE(zipf.draw([&] { return random_word(1, drawn++); }) == 0);
}
