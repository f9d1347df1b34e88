/// Instances of min-cost flow as SPEC's mcf solves them: which vehicle of one depot runs which trips of a timetable,
/// with the fewest vehicles first and the least driving and waiting second.
///
/// Nodes: 0 is the depot, 1 + i the start of trip i (takes one vehicle), 1 + trips + i its end (releases one).
/// Arcs, each for one vehicle: depot to every start, every end to the depot, and every end to every start that a
/// vehicle reaches in time, so their number grows with the square of the trips. All is integer arithmetic on
/// counter-based random words: one seed is one instance on every machine.
/// Source: A. Loebel, "Vehicle Scheduling in Public Transit and Lagrangean Pricing", Management Science 44, 1998, the
/// work that 429.mcf of SPEC CPU2006 comes from. The code and the timetables are our own; mcf generates columns, here
/// all arcs are there from the start.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tierscope::flow {

/// On a grid; one step is a minute's drive.
struct Place {
  std::int32_t x = 0, y = 0;
};

struct Trip {
  std::int32_t start = 0, end = 0;  // minutes after midnight
  Place from, to;
};

struct Arc {
  std::uint32_t tail = 0, head = 0;
  std::int32_t cost = 0;
};

class Timetable {
 public:
  static constexpr std::int32_t SIDE = 30;          // of the grid; the depot is at its middle
  static constexpr std::int32_t VEHICLE = 100'000;  // cost of one vehicle: more than any detour that saves none
  static constexpr std::int32_t DRIVE = 10;         // cost of a minute without passengers
  static constexpr std::int32_t WAIT = 2;           // cost of a minute at a stop

  /// Sorted by start, whatever order they come in.
  explicit Timetable(std::vector<Trip> trips);
  /// Six trips in ten start in the two rush hours, the others between 4:00 and 23:00; each lasts 20 to 89 minutes.
  static Timetable made(std::size_t trips, std::uint64_t seed);

  [[nodiscard]] std::size_t nodes() const noexcept { return 2 * trips_.size() + 1; }
  /// Return the supply of a node: 1, 0 or -1.
  [[nodiscard]] int supply(std::size_t node) const noexcept { return node == 0 ? 0 : node <= trips_.size() ? -1 : 1; }
  [[nodiscard]] std::size_t arcs() const;
  /// visit(arc) for every arc, by rising tail, always in this order.
  template <class Visit>
  void each_arc(Visit visit) const {
    const auto count = trips_.size();
    for (std::size_t j = 0; j < count; ++j) visit(Arc{0, start_of(j), VEHICLE + DRIVE * drive(DEPOT, trips_[j].from)});
    for (std::size_t i = 0; i < count; ++i) {
      visit(Arc{end_of(i), 0, DRIVE * drive(trips_[i].to, DEPOT)});
      for (std::size_t j = i + 1; j < count; ++j) {  // an earlier start cannot be reached: trips last
        const auto driven = drive(trips_[i].to, trips_[j].from);
        const auto waited = trips_[j].start - trips_[i].end - driven;
        if (waited >= 0) visit(Arc{end_of(i), start_of(j), DRIVE * driven + WAIT * waited});
      }
    }
  }

 private:
  static constexpr Place DEPOT{SIDE / 2, SIDE / 2};
  static constexpr std::int32_t drive(Place a, Place b) noexcept {
    return (a.x < b.x ? b.x - a.x : a.x - b.x) + (a.y < b.y ? b.y - a.y : a.y - b.y);
  }
  [[nodiscard]] std::uint32_t start_of(std::size_t trip) const noexcept { return static_cast<std::uint32_t>(1 + trip); }
  [[nodiscard]] std::uint32_t end_of(std::size_t trip) const noexcept {
    return static_cast<std::uint32_t>(1 + trips_.size() + trip);
  }
  std::vector<Trip> trips_;
};

}  // namespace tierscope::flow
