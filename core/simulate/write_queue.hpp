/// The write queue of a persistent-memory DIMM: a FIFO of lines. When the oldest line leaves, the other lines of its
/// unit of the medium leave with it. It leaves when the queue is full, or when its unit is complete and the port is
/// idle. It also leaves when the port is idle and more than `kept` lines wait. So a burst of lines finds space, and
/// waits for no write. A line that is written again while it waits begins a new group. With 52 entries, units of 256 B
/// and 110 ns per group, this is the published write curve of an Optane DIMM over region size. A bank of the medium may
/// limit the groups of its units (banks.hpp).
#pragma once
#include <bit>
#include <vector>

#include "simulate/banks.hpp"
#include "simulate/lru.hpp"
#include "simulate/media.hpp"

namespace tierscope::simulate {

/// Lines that leave together: bit b of `lines` is line b of the medium's unit `number`.
struct Group {
  std::uint64_t number = 0;
  std::uint32_t lines = 0;
  Time since = 0;  // when the last of them came
};

class WriteQueue {
 public:
  /// `kept`: lines above which groups leave when the port is idle
  WriteQueue(std::size_t entries, Unit unit, BankLimits limits = {}, std::size_t kept = ~std::size_t{0})
      : unit_(unit),
        entries_(entries),
        kept_(kept),
        most_(limits.per_bank),
        groups_(entries + 1),
        newest_(2 * entries + 1),
        waiting_(limits.banks) {}
  [[nodiscard]] bool none() const noexcept { return entries_ == 0; }
  [[nodiscard]] bool full() const noexcept { return held_ == entries_ || after(tail_) == head_; }
  /// Return whether the oldest group leaves when the port is idle: it is complete, or more than `kept` lines wait.
  [[nodiscard]] bool drains() const noexcept { return held_ > kept_ || (held_ != 0 && oldest().lines == unit_.whole); }
  /// Return whether the line begins a group, and its bank has no place for one.
  [[nodiscard]] bool crowded(std::uint64_t address) const noexcept {
    const auto number = unit_.number(address);
    if (waiting_.empty() || waiting_[number % waiting_.size()] < most_) return false;
    const auto* slot = newest_.peek(number);
    return slot == nullptr || !takes(*slot, unit_.bit(address));
  }
  /// Return a line on its own, as it leaves a queue of no entries.
  [[nodiscard]] Group alone(std::uint64_t address) const noexcept {
    return {unit_.number(address), unit_.bit(address)};
  }
  /// Return the group of the oldest line; without lines if the queue is empty.
  [[nodiscard]] const Group& oldest() const noexcept { return groups_[head_]; }
  /// Return whether the line waits here, in a group that still takes lines.
  [[nodiscard]] bool holds(std::uint64_t address) const noexcept {
    const auto* slot = held_ == 0 ? nullptr : newest_.peek(unit_.number(address));
    return slot != nullptr && waits(*slot) && (groups_[slot->dirty].lines & unit_.bit(address)) != 0;
  }
  /// @pre not full
  void add(std::uint64_t address, Time at) noexcept {
    const auto number = unit_.number(address);
    ++held_;
    auto* slot = newest_.find(number);
    if (slot != nullptr && takes(*slot, unit_.bit(address))) {
      groups_[slot->dirty].lines |= unit_.bit(address);
      groups_[slot->dirty].since = at;
      return;
    }
    if (slot == nullptr) slot = &newest_.insert(number);
    slot->dirty = static_cast<std::uint32_t>(tail_);
    groups_[tail_] = {number, unit_.bit(address), at};
    tail_ = after(tail_);
    if (!waiting_.empty()) ++waiting_[number % waiting_.size()];
  }
  /// Remove the oldest line and its neighbours. @pre not empty
  Group take() noexcept {
    const auto group = take_from(head_);
    while (head_ != tail_ && groups_[head_].lines == 0) head_ = after(head_);
    return group;
  }
  /// Remove the oldest group in the bank of the line. @pre crowded
  Group take_beside(std::uint64_t address) noexcept {
    const auto bank = unit_.number(address) % waiting_.size();
    auto group = head_;
    while (groups_[group].lines == 0 || groups_[group].number % waiting_.size() != bank) group = after(group);
    return group == head_ ? take() : take_from(group);
  }

 private:
  Group take_from(std::size_t place) noexcept {
    const auto group = groups_[place];
    groups_[place].lines = 0;
    held_ -= static_cast<std::size_t>(std::popcount(group.lines));
    if (!waiting_.empty()) --waiting_[group.number % waiting_.size()];
    return group;
  }
  [[nodiscard]] std::size_t after(std::size_t group) const noexcept {
    return group + 1 == groups_.size() ? 0 : group + 1;
  }
  /// Return whether the group of the slot has not left.
  [[nodiscard]] bool waits(const Lru::Slot& slot) const noexcept {
    return groups_[slot.dirty].number == slot.key && groups_[slot.dirty].lines != 0;
  }
  /// Return whether the group of the slot takes this line.
  [[nodiscard]] bool takes(const Lru::Slot& slot, std::uint32_t bit) const noexcept {
    return waits(slot) && (groups_[slot.dirty].lines & bit) == 0;
  }
  Unit unit_;
  std::size_t entries_, kept_, most_, held_ = 0, head_ = 0, tail_ = 0;
  std::vector<Group> groups_;  // a ring, oldest at head_
  /// From a number to the index of its newest group, in Slot::dirty. It has twice as many slots as can wait, since a
  /// group that takes a line and leaves is used later than one that came after it.
  Lru newest_;
  std::vector<std::size_t> waiting_;  // groups of each bank
};

}  // namespace tierscope::simulate
