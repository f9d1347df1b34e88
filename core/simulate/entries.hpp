/// Entries of a part of a core that an instruction takes when it is dispatched, and releases when it retires:
/// registers for results, and places for loads. Instructions retire in order, so that the oldest taker of the
/// last `most` ones must have retired before the next one gets an entry.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace tierscope::simulate {

class Entries {
 public:
  /// A state to come back to. At most `most` entries are taken in between.
  using Mark = std::uint64_t;
  /// most: entries; 0: no limit.
  explicit Entries(unsigned most) : most_(most), takers_(most == 0 ? 0 : std::bit_ceil(std::size_t{most} * 2)) {}
  /// Return whether an instruction must wait for the retirement of `taker`.
  [[nodiscard]] bool bounded() const noexcept { return most_ != 0 && taken_ >= most_; }
  /// Return the instruction that must retire before the next one gets an entry. @pre bounded
  [[nodiscard]] std::uint64_t taker() const noexcept { return takers_[(taken_ - most_) & (takers_.size() - 1)]; }
  /// Return whether all entries are taken while the instructions before this one have retired.
  [[nodiscard]] bool full(std::uint64_t retired) const noexcept { return bounded() && taker() >= retired; }
  void take(std::uint64_t instruction) noexcept {
    if (most_ != 0) takers_[taken_++ & (takers_.size() - 1)] = instruction;
  }
  [[nodiscard]] Mark mark() const noexcept { return taken_; }
  void come_back(Mark mark) noexcept { taken_ = mark; }

 private:
  std::uint64_t most_, taken_ = 0;
  std::vector<std::uint64_t> takers_;  // instructions, by the number of the entry that they took
};

}  // namespace tierscope::simulate
