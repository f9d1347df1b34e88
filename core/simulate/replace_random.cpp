/// `random`: any way with the same probability.
#include "base/random.hpp"
#include "base/registry.hpp"
#include "simulate/units.hpp"

namespace tierscope::simulate::replace_random {
namespace {

class Any final : public Replacement {
 public:
  Any(std::size_t, std::size_t ways, std::uint64_t seed) : ways_(ways), seed_(seed) {}
  void used(std::size_t, std::size_t) override {}
  std::size_t pick(std::size_t) override { return random_word(seed_, drawn_) % ways_; }
  void filled(std::size_t, std::size_t) override { ++drawn_; }
  [[nodiscard]] std::size_t guess(std::size_t, std::size_t later) const override {
    return random_word(seed_, drawn_ + later) % ways_;
  }

 private:
  std::size_t ways_;
  std::uint64_t seed_, drawn_ = 0;
};

constexpr ReplacementEntry entry{"random", "any, each as likely", &make_replacement<Any>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::replace_random
