// Stores of a stream that stop reading their lines (tests/clockless/test_simulated.py: of a whole machine).
#include <doctest/doctest.h>

#include "simulate/store_streams.hpp"

using namespace tierscope::simulate;

TEST_CASE("a stream is read up to the number of lines, and a store elsewhere begins another") {
  StoreStreams streams(2);
  CHECK(streams.kind_of(0) == Kind::store);
  CHECK(streams.kind_of(64) == Kind::store);
  CHECK(streams.kind_of(128) == Kind::store_nt);
  CHECK(streams.kind_of(4096) == Kind::store);
  CHECK(streams.kind_of(192) == Kind::store_nt);  // both streams continue
  CHECK(streams.kind_of(4160) == Kind::store);
  CHECK(streams.kind_of(4224) == Kind::store_nt);
  CHECK(streams.kind_of(4224) == Kind::store);  // a stream needs another line
  StoreStreams none(0);
  for (std::uint64_t line = 0; line < 100; ++line) CHECK(none.kind_of(64 * line) == Kind::store);
}
