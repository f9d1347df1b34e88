/// The time of a replay, for a last cache that others use: the instructions that ran less than `keep` ago.
///
///     time    sum over instructions whose lines the trace states, of the seconds of one at that place      [s]
///
/// Machines agree about the number of instructions before a use, but not about its time. So ages of lines are numbers
/// of instructions, and each machine asks its clock which of them are too old.
#pragma once
#include <cstdint>
#include <deque>

namespace tierscope {

class FlowClock {
 public:
  /// `rate`: seconds of an instruction, until another one is known.
  FlowClock(double keep_s, double rate) : keep_s_(keep_s), rate_(rate) {}
  [[nodiscard]] bool on() const noexcept { return keep_s_ > 0; }
  void rate(double seconds) noexcept {
    if (seconds > 0) rate_ = seconds;
  }
  /// Count instructions. Return whether they came to a new grain.
  bool run(std::uint64_t instructions) {
    const auto before = ran_ / GRAIN;
    ran_ += instructions;
    seconds_ += static_cast<double>(instructions) * rate_;
    if (ran_ / GRAIN == before) return false;
    grains_.push_back({ran_, seconds_});
    while (seconds_ - grains_.front().seconds > keep_s_) {
      oldest_ = grains_.front().instructions;
      grains_.pop_front();
    }
    return true;
  }
  [[nodiscard]] std::uint64_t ran() const noexcept { return ran_; }
  /// Return the instructions before which a use is more than `keep` ago.
  [[nodiscard]] std::uint64_t oldest() const noexcept { return oldest_; }

 private:
  static constexpr std::uint64_t GRAIN = 1024;
  struct Grain {
    std::uint64_t instructions;
    double seconds;
  };
  double keep_s_, rate_, seconds_ = 0;
  std::uint64_t ran_ = 0, oldest_ = 0;
  std::deque<Grain> grains_;  // those of the last `keep`
};

}  // namespace tierscope
