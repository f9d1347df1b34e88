/// A set of keys in `capacity` slots; a new key replaces the least recently used one. Find and insert take constant
/// time. They use a chained hash over the slots, and a ring of the slots in the order of use, in which one step of the
/// beginning makes the oldest the newest. There are eight buckets for each slot, so that a look-up rarely follows a
/// chain, which no branch predictor foresees. 4096 slots and their buckets take 256 KiB.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/buckets.hpp"
#include "simulate/held.hpp"

namespace tierscope::simulate {

class Lru {
 public:
  static constexpr std::uint64_t EMPTY = Held::EMPTY;
  struct Slot : Held {
   private:
    friend class Lru;
    std::uint32_t newer = 0, older = 0, chain = NONE;
  };

  /// @param capacity at least 1, below 2^31
  explicit Lru(std::size_t capacity) : slots_(capacity), buckets_(8 * capacity) {
    const auto count = static_cast<std::uint32_t>(capacity);
    for (std::uint32_t s = 0; s < count; ++s) {
      slots_[s].older = s + 1 == count ? 0 : s + 1;
      slots_[s].newer = s == 0 ? count - 1 : s - 1;
    }
  }
  /// Find the slot with `key` and make it the most recently used; return nullptr if there is none.
  Slot* find(std::uint64_t key) noexcept {
    const auto s = where(key);
    if (s == NONE) return nullptr;
    use(s);
    return &slots_[s];
  }
  /// Find the slot without using it.
  [[nodiscard]] const Slot* peek(std::uint64_t key) const noexcept {
    const auto s = where(key);
    return s == NONE ? nullptr : &slots_[s];
  }
  /// Return the slot that the next insert replaces: its key is EMPTY if it is free.
  [[nodiscard]] const Slot& oldest() const noexcept { return slots_[slots_[newest_].newer]; }
  /// Replace the oldest by `key`, which is in no slot.
  Slot& insert(std::uint64_t key) noexcept {
    newest_ = slots_[newest_].newer;
    auto& slot = slots_[newest_];
    if (slot.key != EMPTY) unchain(newest_);
    auto& head = buckets_.head(key);
    slot.key = key;
    slot.ready = 0;
    slot.dirty = 0;
    slot.chain = head;
    head = newest_;
    expect_victims(slot);
    return slot;
  }
  /// As Units::announce.
  void announce(std::uint64_t key, unsigned step) const noexcept {
    if (step == 0) return buckets_.announce(key);
    const auto s = buckets_.head(key);
    if (s == NONE) return;
    const auto& slot = slots_[s];
    if (step == 1) return __builtin_prefetch(&slot, 1);
    __builtin_prefetch(&slots_[slot.newer], 1);
    __builtin_prefetch(&slots_[slot.older], 1);
  }
  /// Return the bytes of the host that it takes.
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.size() * sizeof(Slot) + buckets_.bytes(); }

 private:
  static constexpr std::uint32_t NONE = Buckets::NONE;
  [[nodiscard]] std::uint32_t where(std::uint64_t key) const noexcept {
    auto s = buckets_.head(key);
    while (s != NONE && slots_[s].key != key) s = slots_[s].chain;
    return s;
  }
  void unchain(std::uint32_t s) noexcept {
    auto* link = &buckets_.head(slots_[s].key);
    while (*link != s) link = &slots_[*link].chain;
    *link = slots_[s].chain;
  }
  /// Prefetch the slot that is replaced after the next one, and the bucket of the next one.
  void expect_victims(const Slot& newest) const noexcept {
    const auto& next = slots_[newest.newer];
    buckets_.announce(next.key);
    __builtin_prefetch(&slots_[next.newer], 1);
  }
  /// Make slot s the newest: it comes between the newest and, since this is a ring, the oldest.
  void use(std::uint32_t s) noexcept {
    if (s == newest_) return;
    auto& slot = slots_[s];
    const auto last = slots_[newest_].newer;
    if (s != last) {
      slots_[slot.newer].older = slot.older;
      slots_[slot.older].newer = slot.newer;
      slot.newer = last;
      slot.older = newest_;
      slots_[last].older = s;
      slots_[newest_].newer = s;
    }
    newest_ = s;
  }

  std::vector<Slot, Large<Slot>> slots_;
  Buckets buckets_;
  std::uint32_t newest_ = 0;
};

}  // namespace tierscope::simulate
