/// `lru` in sets: the way that was used longest ago. It looks at each way of a set, so sets should be small.
#include <algorithm>
#include <vector>

#include "base/registry.hpp"
#include "simulate/units.hpp"

namespace tierscope::simulate::replace_lru {
namespace {

class Oldest final : public Replacement {
 public:
  Oldest(std::size_t sets, std::size_t ways, std::uint64_t) : ways_(ways), last_(sets * ways, 0) {}
  void used(std::size_t set, std::size_t way) override { last_[set * ways_ + way] = ++now_; }
  std::size_t pick(std::size_t set) override { return oldest(set); }
  void filled(std::size_t set, std::size_t way) override { used(set, way); }
  [[nodiscard]] std::size_t guess(std::size_t set, std::size_t) const override { return oldest(set); }
  void announce(std::size_t set) const override {
    for (std::size_t way = 0; way < ways_; way += OF_A_LINE) __builtin_prefetch(&last_[set * ways_ + way], 1);
  }

 private:
  static constexpr std::size_t OF_A_LINE = 64 / sizeof(std::uint64_t);
  [[nodiscard]] std::size_t oldest(std::size_t set) const {
    const auto first = last_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
    return static_cast<std::size_t>(std::min_element(first, first + static_cast<std::ptrdiff_t>(ways_)) - first);
  }
  std::size_t ways_;
  std::uint64_t now_ = 0;
  std::vector<std::uint64_t> last_;
};

constexpr ReplacementEntry entry{"lru", "the one that was used longest ago", &make_replacement<Oldest>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::replace_lru
