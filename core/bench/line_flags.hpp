/// A few bits for each of some lines: a table that grows, and is emptied in no time.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace tierscope {

class LineFlags {
 public:
  /// Return the flags of a line, 0 at first; the reference is valid until the next call.
  std::uint8_t& of(std::uint64_t line) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    auto& slot = find(line);
    if (slot.round != round_) {
      slot = {line, round_, 0};
      ++used_;
    }
    return slot.flags;
  }
  void clear() noexcept {
    ++round_;
    used_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t line = 0, round = 0;
    std::uint8_t flags = 0;
  };
  Slot& find(std::uint64_t line) noexcept {
    const auto mask = slots_.size() - 1;
    auto at = (line * 0x9E3779B97F4A7C15U >> 20U) & mask;
    while (slots_[at].round == round_ && slots_[at].line != line) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    const auto old = std::move(slots_);
    slots_.assign(2 * old.size(), {});
    for (const auto& slot : old)
      if (slot.round == round_) find(slot.line) = slot;
  }
  std::vector<Slot> slots_ = std::vector<Slot>(FIRST);
  std::uint64_t used_ = 0, round_ = 1;
  static constexpr std::size_t FIRST = 1024;
};

}  // namespace tierscope
