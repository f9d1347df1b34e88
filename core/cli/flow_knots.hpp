/// Knots within the parts of a trace: how many instructions of a part a simulated machine has run, and its time so far.
/// The first knot of a part comes after `first` instructions. Distances double from there up to APART. On all machines
/// with the same `first`, knots are at the same instructions, unless threads alternate.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/json.hpp"

namespace tierscope {

class Knots {
 public:
  struct Knot {
    std::uint64_t part, instructions;
    double seconds;
  };
  static constexpr std::uint64_t APART = 1'000'000;  // instructions
  explicit Knots(std::uint64_t first) : first_(first), next_(first) {}
  void begin_part() noexcept { next_ = first_; }
  /// Return whether a knot comes after this number of instructions of the part.
  [[nodiscard]] bool due(std::uint64_t instructions) const noexcept { return instructions >= next_; }
  /// Continue to the next knot. @pre due
  void pass(std::uint64_t instructions) noexcept {
    while (due(instructions)) next_ += std::min(next_, APART);
  }
  /// Note a knot, in the order of instructions.
  void add(std::uint64_t part, std::uint64_t instructions, double seconds) {
    auto at = list_.end();
    while (at != list_.begin() && (at - 1)->part == part && (at - 1)->instructions > instructions) --at;
    list_.insert(at, {part, instructions, seconds});
  }
  /// Return [part, instructions in it, seconds of it so far] of each.
  [[nodiscard]] std::string list() const {
    return json::list(
        list_, +[](const Knot& one) {
          return json::list({json::value(one.part), json::value(one.instructions), json::value(one.seconds)});
        });
  }

 private:
  std::uint64_t first_, next_;
  std::vector<Knot> list_;
};

}  // namespace tierscope
