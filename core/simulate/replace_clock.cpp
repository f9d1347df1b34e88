/// `clock`: a hand goes round the ways of a set. It skips each way that was used since its last visit, and takes the
/// first that was not. Source: F. J. Corbato, A Paging Experiment with the Multics System, MIT Project MAC, 1968.
#include <vector>

#include "base/registry.hpp"
#include "simulate/units.hpp"

namespace tierscope::simulate::replace_clock {
namespace {

class Clock final : public Replacement {
 public:
  Clock(std::size_t sets, std::size_t ways, std::uint64_t) : ways_(ways), hand_(sets, 0), used_(sets * ways, false) {}
  void used(std::size_t set, std::size_t way) override { used_[set * ways_ + way] = true; }
  std::size_t pick(std::size_t set) override {
    auto& hand = hand_[set];
    for (; used_[set * ways_ + hand]; hand = after(hand)) used_[set * ways_ + hand] = false;
    return hand;
  }
  void filled(std::size_t set, std::size_t way) override {
    used_[set * ways_ + way] = false;
    hand_[set] = after(way);
  }
  /// Used ways, which the hand will skip, are not looked at.
  [[nodiscard]] std::size_t guess(std::size_t set, std::size_t later) const override {
    return (hand_[set] + later) % ways_;
  }
  void announce(std::size_t set) const override { __builtin_prefetch(&hand_[set], 1); }

 private:
  [[nodiscard]] std::size_t after(std::size_t way) const noexcept { return way + 1 == ways_ ? 0 : way + 1; }
  std::size_t ways_;
  std::vector<std::size_t> hand_;
  std::vector<bool> used_;
};

constexpr ReplacementEntry entry{"clock", "the next that was not used since the hand came by",
                                 &make_replacement<Clock>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::replace_clock
