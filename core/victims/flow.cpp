/// `flow`: min-cost flow by network simplex, the computation of SPEC's mcf, which cannot be shipped. One task is one
/// whole solve from scratch. Each pivot reads a stretch of the arcs in order, with the potentials of both ends at
/// random, and then walks a tree of nodes by its links: memory-bound as soon as the arcs exceed the caches.
///
/// Sizes and what a solve takes on one idle core of a Xeon of 2023 (2 MiB of second-level cache, 105 MiB of third):
///   test  1500 trips    0.9 million arcs    49 MB   0.25 s
///   train 3000 trips    3.6 million arcs   194 MB   2 s
///   ref   6000 trips   14.7 million arcs   780 MB   15 s
/// Pricing alone reads 17 bytes of each arc: 16, 62 and 250 MB.
#include <array>
#include <limits>

#include "base/capacity.hpp"
#include "victims/simplex.hpp"
#include "victims/victim.hpp"

namespace tierscope::flow {
namespace {

struct Size {
  std::string_view name;
  std::size_t trips;
};
constexpr std::array SIZES{Size{"test", 1500}, Size{"train", 3000}, Size{"ref", 6000}};

std::size_t trips_of(const std::string& name) {
  std::string known;
  for (const auto& size : SIZES) {
    if (size.name == name) return size.trips;
    known += (known.empty() ? "" : ", ") + std::string(size.name);
  }
  throw BadPlan(name.empty() ? "kernel flow needs a size (one of: " + known + ")"
                             : "unknown size '" + name + "' of flow (known: " + known + ")");
}

class FlowVictim final : public Victim {
 public:
  /// @throws Unsupported if there is too little memory for it.
  FlowVictim(flow::Timetable timetable, const std::string& size)
      : timetable_(std::move(timetable)), arcs_(room_for(timetable_, size)), simplex_(timetable_) {}

  void run() noexcept override {
    if (!failure_.empty()) return;
    try {
      took(simplex_.solve());
    } catch (const std::exception& error) {
      failure_ = std::string("victim flow: ") + error.what() + "; try a smaller size";
    }
  }
  [[nodiscard]] std::string failure() const override { return failure_; }
  /// The last flow by its certificate; the ones before by their cost.
  [[nodiscard]] double check() const override {
    if (runs_ == 0) return 0;
    const bool right = same_ && flow::fault(timetable_, simplex_.solution()).empty();
    return right ? 0 : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] std::size_t memory_bytes() const override {
    return flow::Simplex::memory_bytes(timetable_.nodes(), arcs_);
  }
  [[nodiscard]] std::string detail() const override {
    const auto known = runs_ == 0 ? std::string() : ", optimum " + std::to_string(cost_);
    return std::to_string(timetable_.nodes()) + " nodes, " + std::to_string(arcs_) + " arcs" + known;
  }

 private:
  static std::size_t room_for(const flow::Timetable& timetable, const std::string& size) {
    const auto arcs = timetable.arcs();
    try {
      capacity::require(flow::Simplex::peak_bytes(timetable.nodes(), arcs));
    } catch (const Unsupported& error) {
      throw Unsupported("victim flow of size " + size + ": " + error.what() + "; take fewer victims or a smaller size");
    }
    return arcs;
  }
  void took(std::int64_t cost) {
    if (cost < 0) failure_ = "victim flow: the solver found no flow, though there is one: report it, with the seed";
    same_ = same_ && (runs_ == 0 || cost == cost_);
    cost_ = cost;
    ++runs_;
  }
  flow::Timetable timetable_;
  std::size_t arcs_;
  flow::Simplex simplex_;
  std::int64_t cost_ = 0;
  std::size_t runs_ = 0;
  bool same_ = true;
  std::string failure_;
};

std::unique_ptr<Victim> make(const VictimOptions& options) {
  const auto trips = trips_of(options.size);
  if (!flow::Simplex::lacking().empty()) throw Unsupported("victim flow: " + std::string(flow::Simplex::lacking()));
  return std::make_unique<FlowVictim>(flow::Timetable::made(trips, options.seed), options.size);
}

const VictimEntry entry{.name = "flow",
                        .summary = "min-cost flow of a vehicle schedule by network simplex",
                        .source = "A. Loebel, Management Science 44, 1998; P. Kovacs, Optim. Methods Softw. 30, 2015",
                        .lacking = flow::Simplex::lacking(),
                        .make = &make};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::flow
