// An operation of a structure as accesses of lines and as counts.
#include <doctest/doctest.h>

#include "bench/touched_lines.hpp"

using namespace tierscope;
using recorded::Event;
using recorded::What;
using simulate::Access;
using simulate::Kind;

namespace {

constexpr std::uint64_t BASE = std::uint64_t{3} << 48U;

struct Taken {
  LineCounts counts;
  std::vector<Access> accesses;
  [[nodiscard]] std::vector<Kind> kinds() const {
    std::vector<Kind> found;
    for (const auto& access : accesses) found.push_back(access.kind);
    return found;
  }
};

Taken take(const std::vector<Event>& events, bool flushes = true, std::uint64_t line_bytes = 64) {
  Taken taken;
  TouchedLines lines(BASE, line_bytes, flushes);
  taken.counts = lines.take(events, taken.accesses);
  return taken;
}

Event event(What what, std::uint64_t place, std::uint32_t size = 8) { return {place, size, what, false}; }

const Event FENCE{0, 0, What::fence, false};

}  // namespace

TEST_CASE("the load of a new line waits for the load before it, and further loads of one line add no access") {
  const auto taken = take({event(What::load, 0), event(What::load, 8), event(What::load, 120, 16)});
  REQUIRE(taken.accesses.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(taken.accesses[i].address == BASE + 64 * i);
    CHECK(taken.accesses[i].kind == Kind::load);
    CHECK(taken.accesses[i].waits);
  }
  CHECK(taken.counts.read == 3);
  CHECK(taken.counts.written == 0);
}

TEST_CASE("a repeated line is read again, and counted once") {
  const auto taken = take({event(What::load, 0), event(What::load, 64), event(What::load, 8)});
  CHECK(taken.accesses.size() == 3);
  CHECK(taken.counts.read == 2);
}

TEST_CASE("a flush of a stored line is one access; without a store, libpmemobj stored it just before") {
  const auto stored = take({event(What::store, 0), event(What::store, 16), event(What::flush, 0), FENCE});
  CHECK(stored.kinds() == std::vector{Kind::store, Kind::clwb, Kind::sfence});
  const auto unseen = take({event(What::flush, 0), FENCE, event(What::flush, 0), FENCE});
  CHECK(unseen.kinds() == std::vector{Kind::store, Kind::clwb, Kind::sfence, Kind::store, Kind::clwb, Kind::sfence});
  CHECK(unseen.counts.written == 1);
  CHECK(unseen.counts.flushed == 2);
  CHECK(unseen.counts.fences == 2);
}

TEST_CASE("every second flush that is left out is missing in the count, and nothing else is") {
  std::vector<Event> all, half;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (auto* list : {&all, &half}) list->push_back(event(What::store, 64 * i));
    all.push_back(event(What::flush, 64 * i));
    if (i % 2 == 0) half.push_back(event(What::flush, 64 * i));
  }
  CHECK(take(all).counts.flushed == 100);
  CHECK(take(half).counts.flushed == 50);
  CHECK(take(half).counts.written == take(all).counts.written);
}

TEST_CASE("a non-temporal store is written back without a flush") {
  const auto taken = take({event(What::store_nt, 64, 256), FENCE});
  CHECK(taken.kinds() == std::vector{Kind::store_nt, Kind::store_nt, Kind::store_nt, Kind::store_nt, Kind::sfence});
  CHECK(taken.counts.flushed == 4);
  CHECK(taken.counts.written == 4);
}

TEST_CASE("nothing is flushed if caches persist, and fences still wait") {
  const auto taken = take({event(What::store, 0), event(What::flush, 0), event(What::flush, 64), FENCE}, false);
  CHECK(taken.kinds() == std::vector{Kind::store, Kind::store, Kind::sfence});
  CHECK(taken.counts.flushed == 0);
  CHECK(taken.counts.written == 2);
  CHECK(taken.counts.fences == 1);
}

TEST_CASE("thousands of lines are distinguished, in one operation after another") {
  TouchedLines lines(0, 64, true);
  std::vector<Access> accesses;
  for (int round = 0; round < 3; ++round) {
    std::vector<Event> events;
    for (std::uint64_t i = 0; i < 5000; ++i) events.push_back(event(What::store, i % 2500 * 4096));
    CHECK(lines.take(events, accesses).written == 2500);
    CHECK(accesses.size() == 5000);
  }
}

TEST_CASE("longer lines contain more of what is touched, and each is one access") {
  const std::vector events{event(What::load, 0), event(What::load, 72), event(What::store, 120, 16),
                           event(What::store, 300)};
  const auto wide = take(events, true, 128);
  CHECK(wide.counts.read == 1);
  CHECK(wide.counts.written == 3);
  CHECK(wide.kinds() == std::vector{Kind::load, Kind::store, Kind::store, Kind::store});
  const auto widest = take(events, true, 256);
  CHECK(widest.counts.read == 1);
  CHECK(widest.counts.written == 2);
  CHECK(take(events).counts.read == 2);
}

TEST_CASE("libpmem flushes 64 bytes at a time whatever the line, and each flush counts") {
  const auto taken = take({event(What::store, 0, 128), event(What::flush, 0, 128), FENCE}, true, 128);
  CHECK(taken.kinds() == std::vector{Kind::store, Kind::clwb, Kind::clwb, Kind::sfence});
  CHECK(taken.counts.written == 1);
  CHECK(taken.counts.flushed == 2);
  const auto unseen = take({event(What::flush, 0, 128), FENCE}, true, 128);
  CHECK(unseen.kinds() == std::vector{Kind::store, Kind::clwb, Kind::clwb, Kind::sfence});
  CHECK(take({event(What::store_nt, 0, 256), FENCE}, true, 256).counts.flushed == 4);
}
