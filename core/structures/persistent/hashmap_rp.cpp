/// `hashmap_rp`: Robin Hood hashing in one array; each change is a list of words that libpmemobj publishes together.
/// A key never moves on an erase: its slot is a tombstone, which keeps the order of the probes and is used again.
/// Values over 16 bytes are objects of their own, reserved before they are published with the slot.
/// Source: PMDK, pmemobj_action(3); P. Celis, P.-A. Larson, J. I. Munro, "Robin Hood Hashing", FOCS 1985; the design is
/// that of PMDK's map of this name.
#include <array>
#include <bit>
#include <cstring>

#include "base/random.hpp"
#include "structures/persistent/pool.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "hashmap_rp";
constexpr std::uint64_t SLOTS = 1, VALUES = 2;  // types of objects
constexpr std::uint64_t FIRST = 16;             // slots at the start; always a power of two
constexpr std::uint64_t ERASED = std::uint64_t{1} << 63U;
constexpr std::size_t INSIDE = 16;       // bytes of a value that its slot contains
constexpr std::size_t MOST_MOVED = 150;  // slots of one insert, as PMDK's map has it

struct Slot {
  std::uint64_t key;
  std::uint64_t value[2];  // or the offset of its object
  std::uint64_t hash;      // 0: empty; with ERASED: a tombstone
};
struct Control : Root {
  std::uint64_t capacity;
  PMEMoid slots;
};

std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  const auto values = value_bytes > INSIDE ? objects_bytes(keys, value_bytes) : 0;
  return POOL_OVERHEAD + values + arrays_bytes(FIRST, std::max(FIRST, 4 * keys), sizeof(Slot));
}

constexpr std::uint64_t hash_of(std::uint64_t key) noexcept {
  const auto hash = mixed(key) & ~ERASED;
  return hash == 0 ? 1 : hash;
}

/// The array in the order of probes.
class Table {
 public:
  Table(Slot* slots, std::uint64_t capacity) noexcept : slots_(slots), mask_(capacity - 1) {}
  [[nodiscard]] std::uint64_t capacity() const noexcept { return mask_ + 1; }
  [[nodiscard]] Slot& operator[](std::uint64_t i) const noexcept { return slots_[i & mask_]; }
  /// Return the distance of slot i from the place of its hash.
  [[nodiscard]] std::uint64_t distance(std::uint64_t i) const noexcept {
    return (i - ((*this)[i].hash & ~ERASED)) & mask_;
  }
  [[nodiscard]] Slot* find(std::uint64_t key) const noexcept {
    const auto hash = hash_of(key);
    for (std::uint64_t far = 0; far <= mask_; ++far) {
      auto& slot = (*this)[hash + far];
      if (slot.hash == 0 || distance(hash + far) < far) return nullptr;
      if (slot.hash == hash && slot.key == key) return &slot;
    }
    return nullptr;
  }
  /// Calls store(slot, its new content) for each slot that `entry` displaces, in the order of probes; no slot is read
  /// after it was given. Returns false if store does or every slot is taken; the caller undoes the rest.
  template <class Store>
  bool place(Slot entry, Store store) const noexcept {
    auto i = entry.hash;
    std::uint64_t far = 0;
    for (std::uint64_t steps = 0; steps <= mask_; ++steps, ++i, ++far) {
      auto& slot = (*this)[i];
      const auto its = distance(i);
      const bool free = slot.hash == 0 || ((slot.hash & ERASED) != 0 && its <= far);
      if (free) return store(slot, entry);
      if ((slot.hash & ERASED) != 0 || its >= far) continue;
      const auto displaced = slot;
      if (!store(slot, entry)) return false;
      entry = displaced;
      far = its;
    }
    return false;
  }

 private:
  Slot* slots_;
  std::uint64_t mask_;
};

/// Words that are stored together or not at all.
class Actions {
 public:
  explicit Actions(const Pool& pool) noexcept : pool_(pool) {}
  [[nodiscard]] pobj_action& next() noexcept { return list_[used_++]; }
  bool set(Slot& at, const Slot& slot) noexcept {
    if (used_ + 6 > list_.size()) return false;
    set(at.key, slot.key);
    set(at.value[0], slot.value[0]);
    set(at.value[1], slot.value[1]);
    set(at.hash, slot.hash);
    return true;
  }
  void set(std::uint64_t& at, std::uint64_t value) noexcept { pmemobj_set_value(pool_.get(), &next(), &at, value); }
  void free(PMEMoid object) noexcept { pmemobj_defer_free(pool_.get(), object, &next()); }
  [[nodiscard]] PMEMoid reserve(std::size_t size_bytes, std::uint64_t type, std::uint64_t flags = 0) noexcept {
    const auto made = pmemobj_xreserve(pool_.get(), &next(), size_bytes, type, flags);
    if (OID_IS_NULL(made)) --used_;
    return made;
  }
  [[nodiscard]] Outcome publish() noexcept {
    if (pmemobj_publish(pool_.get(), list_.data(), used_) == 0) return Outcome::done;
    return cancel();
  }
  Outcome cancel() noexcept {
    pmemobj_cancel(pool_.get(), list_.data(), used_);
    return Outcome::full;
  }

 private:
  const Pool& pool_;
  std::array<pobj_action, 4 * MOST_MOVED + 8> list_;  // not cleared: 40 KiB for each insert
  std::size_t used_ = 0;
};

class HashmapRp final : public Structure {
 public:
  explicit HashmapRp(const StructureOptions& asked)
      : pool_(asked, NAME, pool_bytes(asked.keys, asked.value_bytes), sizeof(Control)),
        control_(pool_.root<Control>()) {
    if (control_.value_bytes == 0) start(asked);
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    if (table().find(key) != nullptr) return Outcome::present;
    if (control_.count + 1 > control_.capacity / 8 * 7) return Outcome::full;
    Actions actions(pool_);
    Slot slot{key, {}, hash_of(key)};
    if (!hold(actions, slot, value)) return actions.cancel();
    bool reused = false;
    cramped_ = !table().place(slot, [&](Slot& at, const Slot& its) {
      reused = (at.hash & ERASED) != 0;
      return actions.set(at, its);
    });
    if (cramped_) return actions.cancel();
    actions.set(control_.count, control_.count + 1);
    const auto outcome = actions.publish();
    if (outcome == Outcome::done && reused && erased_ > 0) --erased_;
    return outcome;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    const auto* slot = table().find(key);
    if (slot == nullptr || !apart()) return slot == nullptr ? nullptr : slot->value;
    return pool_.at<void>(slot->value[0]);
  }

  Outcome erase(std::uint64_t key) noexcept override {
    auto* slot = table().find(key);
    if (slot == nullptr) return Outcome::absent;
    Actions actions(pool_);
    if (apart()) actions.free(pool_.object(slot->value[0]));
    actions.set(slot->hash, slot->hash | ERASED);
    actions.set(control_.count, control_.count - 1);
    const auto outcome = actions.publish();
    if (outcome == Outcome::done) ++erased_;
    return outcome;
  }

  [[nodiscard]] std::uint64_t count() const noexcept override { return control_.count; }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return control_.value_bytes; }
  /// Grows at half, shrinks below an eighth, so that neither undoes the other; and is swept of tombstones when they
  /// and the keys take three quarters, since searches walk over both.
  [[nodiscard]] bool rehash_due() const noexcept override {
    return grows() || shrinks() || control_.count + erased_ >= control_.capacity / 4 * 3;
  }

  std::uint64_t rehash() noexcept override {
    if (!rehash_due()) return 0;
    Actions actions(pool_);
    const auto capacity = shrinks() ? control_.capacity / 2 : control_.capacity * (grows() ? 2 : 1);
    const auto made = actions.reserve(capacity * sizeof(Slot), SLOTS, POBJ_XALLOC_ZERO);
    if (OID_IS_NULL(made)) return 0;
    const auto moved = move_all(Table(pool_.at<Slot>(made), capacity));
    pool_.persist(pool_.at<Slot>(made), capacity * sizeof(Slot));
    actions.free(control_.slots);
    actions.set(control_.slots.off, made.off);
    actions.set(control_.capacity, capacity);
    if (actions.publish() != Outcome::done) return 0;
    erased_ = 0;
    cramped_ = false;
    return moved;
  }

  [[nodiscard]] std::string check() const override {
    std::uint64_t found = 0;
    auto objects = pool_.objects();
    if (!objects.take(control_.slots, FIRST * sizeof(Slot), SLOTS)) return "its slots are lost";
    if (control_.capacity < FIRST || !std::has_single_bit(control_.capacity) ||
        control_.capacity > pmemobj_alloc_usable_size(control_.slots) / sizeof(Slot))
      return "the number of its slots is wrong";
    const auto all = table();
    for (std::uint64_t i = 0; i < all.capacity(); ++i) {
      if (all[i].hash == 0 || (all[i].hash & ERASED) != 0) continue;
      const auto where = " in slot " + std::to_string(i);
      if (all[i].hash != hash_of(all[i].key)) return "a hash is wrong" + where;
      if (all.find(all[i].key) != &all[i]) return "no search finds the key" + where;
      if (apart() && !objects.take(all[i].value[0], control_.value_bytes, VALUES)) return "the value is lost" + where;
      ++found;
    }
    if (found == control_.count) return "";
    return "the count is " + std::to_string(control_.count) + " and " + std::to_string(found) + " entries are there";
  }

 private:
  [[nodiscard]] Table table() const noexcept { return {pool_.at<Slot>(control_.slots), control_.capacity}; }
  [[nodiscard]] bool apart() const noexcept { return control_.value_bytes > INSIDE; }
  [[nodiscard]] bool grows() const noexcept { return cramped_ || control_.count + 1 >= control_.capacity / 2; }
  [[nodiscard]] bool shrinks() const noexcept {
    return control_.capacity > FIRST && control_.count < control_.capacity / 8;
  }

  /// Puts a value into its slot, or into an object that the slot names.
  [[nodiscard]] bool hold(Actions& actions, Slot& slot, const void* value) const noexcept {
    if (!apart()) {
      std::memcpy(slot.value, value, control_.value_bytes);
      return true;
    }
    const auto made = actions.reserve(control_.value_bytes, VALUES);
    if (OID_IS_NULL(made)) return false;
    slot.value[0] = made.off;
    pmemobj_memcpy_persist(pool_.get(), pool_.at<void>(made), value, control_.value_bytes);
    return true;
  }

  /// Into an array that nobody knows yet, so by plain stores.
  std::uint64_t move_all(const Table& to) const noexcept {
    const auto from = table();
    std::uint64_t moved = 0;
    for (std::uint64_t i = 0; i < from.capacity(); ++i) {
      if (from[i].hash == 0 || (from[i].hash & ERASED) != 0) continue;
      to.place(from[i], [](Slot& at, const Slot& its) {
        at = its;
        return true;
      });
      ++moved;
    }
    return moved;
  }

  void start(const StructureOptions& asked) {
    Actions actions(pool_);
    const auto made = actions.reserve(FIRST * sizeof(Slot), SLOTS, POBJ_XALLOC_ZERO);
    if (OID_IS_NULL(made)) throw Unsupported("pool " + asked.path + " has no space for its first slots");
    pool_.persist(pool_.at<Slot>(made), FIRST * sizeof(Slot));
    actions.set(control_.slots.pool_uuid_lo, made.pool_uuid_lo);
    actions.set(control_.slots.off, made.off);
    actions.set(control_.capacity, FIRST);
    actions.set(control_.value_bytes, asked.value_bytes);
    if (actions.publish() != Outcome::done) throw Unsupported("pool " + asked.path + " has no space for its slots");
  }

  Pool pool_;
  Control& control_;
  std::uint64_t erased_ = 0;  // tombstones that this process made
  bool cramped_ = false;      // the last insert found no slot
};

constexpr StructureEntry entry{NAME,
                               "Robin Hood hash map on libpmemobj's reserved and published steps",
                               "PMDK, pmemobj_action(3)",
                               true,
                               "",
                               &open_structure<HashmapRp>,
                               &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
