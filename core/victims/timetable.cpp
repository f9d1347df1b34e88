#include "victims/timetable.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"

namespace tierscope::flow {
namespace {

/// Uniform below `count`, from word `index` of trip `trip`.
std::int32_t draw(std::uint64_t seed, std::size_t trip, std::uint64_t index, std::uint64_t count) {
  constexpr std::uint64_t WORDS = 8;  // of one trip
  return static_cast<std::int32_t>(random_word(seed, WORDS * trip + index) % count);
}

std::int32_t departure(std::uint64_t seed, std::size_t trip) {
  const auto kind = draw(seed, trip, 0, 10);
  if (kind < 3) return 360 + draw(seed, trip, 1, 180);
  if (kind < 6) return 900 + draw(seed, trip, 1, 240);
  return 240 + draw(seed, trip, 1, 1140);
}

}  // namespace

Timetable::Timetable(std::vector<Trip> trips) : trips_(std::move(trips)) {
  std::stable_sort(trips_.begin(), trips_.end(), [](const Trip& a, const Trip& b) { return a.start < b.start; });
}

Timetable Timetable::made(std::size_t trips, std::uint64_t seed) {
  std::vector<Trip> made(trips);
  for (std::size_t i = 0; i < trips; ++i) {
    const auto place = [&](std::uint64_t index) {
      return Place{draw(seed, i, index, SIDE), draw(seed, i, index + 1, SIDE)};
    };
    const auto start = departure(seed, i);
    made[i] = {start, start + 20 + draw(seed, i, 2, 70), place(3), place(5)};
  }
  return Timetable(std::move(made));
}

std::size_t Timetable::arcs() const {
  std::size_t count = 0;
  each_arc([&](const Arc&) { ++count; });
  return count;
}

}  // namespace tierscope::flow
