/// `skeleton_sums`: the smallest victim, sums of an array that fits the caches. One task is one timed block.
/// Copy this file to core/victims/NAME.cpp. A victim takes what it needs from the options, and computes something
/// whose answer can be checked: a wrong answer has no time.
/// Blind to: everything but the time of loads that hit.
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "victims/victim.hpp"

namespace tierscope::victims::skeleton_sums {
namespace {

constexpr std::size_t ELEMENTS = std::size_t{1} << 14U;  // 128 KiB
constexpr int PASSES = 200;                              // a task of some milliseconds

class SkeletonVictim final : public Victim {
 public:
  SkeletonVictim() : values_(ELEMENTS, 1.0) {}  // allocated and touched by the thread that runs it

  /// One task: nothing here allocates, throws or calls the system.
  void run() noexcept override {
    double sum = 0;
    for (int pass = 0; pass < PASSES; ++pass)
      for (const double value : values_) sum += value;
    sum_ = sum;
    ran_ = true;
  }

  [[nodiscard]] std::string failure() const override { return {}; }  // it starts nothing that can fail
  [[nodiscard]] double check() const override {
    const bool right = !ran_ || sum_ == static_cast<double>(ELEMENTS) * PASSES;  // exact: below 2^53
    return right ? 0 : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] std::size_t memory_bytes() const override { return values_.size() * sizeof(double); }
  [[nodiscard]] std::string detail() const override { return std::to_string(PASSES) + " sums of 128 KiB"; }

 private:
  std::vector<double> values_;
  double sum_ = 0;
  bool ran_ = false;
};

std::unique_ptr<Victim> make(const VictimOptions&) { return std::make_unique<SkeletonVictim>(); }

/// Name, summary, source, what this build lacks ("": nothing), and how it is made.
constexpr VictimEntry entry{"skeleton_sums", "sums of an array in the caches", "the smallest example of Tierscope", "",
                            &make};
const Registration registration{entry};  // this line alone makes it known

}  // namespace
}  // namespace tierscope::victims::skeleton_sums
