/// `fifo`: the way that was filled longest ago, whether used since or not.
#include <vector>

#include "base/registry.hpp"
#include "simulate/units.hpp"

namespace tierscope::simulate::replace_fifo {
namespace {

class Fifo final : public Replacement {
 public:
  Fifo(std::size_t sets, std::size_t ways, std::uint64_t) : ways_(ways), next_(sets, 0) {}
  void used(std::size_t, std::size_t) override {}
  std::size_t pick(std::size_t set) override { return next_[set]; }
  void filled(std::size_t set, std::size_t way) override { next_[set] = way + 1 == ways_ ? 0 : way + 1; }
  [[nodiscard]] std::size_t guess(std::size_t set, std::size_t later) const override {
    return (next_[set] + later) % ways_;
  }
  void announce(std::size_t set) const override { __builtin_prefetch(&next_[set], 1); }

 private:
  std::size_t ways_;
  std::vector<std::size_t> next_;
};

constexpr ReplacementEntry entry{"fifo", "the one that came in longest ago", &make_replacement<Fifo>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::replace_fifo
