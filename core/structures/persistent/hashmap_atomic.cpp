/// `hashmap_atomic`: chains of libpmemobj's lists, whose every step is atomic by itself; no transactions. The count is
/// written between two marks: if a power failure fell between them, opening counts again. A rehash moves one entry at a
/// time, and opening continues one that was interrupted.
/// Source: PMDK, pmemobj_list_insert(3); the design is that of PMDK's map of this name.
#include <cstring>
#include <utility>

#include "structures/persistent/chains.hpp"
#include "structures/persistent/pool.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "hashmap_atomic";
constexpr std::uint64_t ENTRIES = 1, BUCKETS = 2;  // types of objects

struct Links {
  PMEMoid next, prev;
};
struct Entry {
  std::uint64_t key;
  Links links;
  [[nodiscard]] std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
/// As the lists of libpmemobj want it: circular, so first.prev is the last.
struct Head {
  PMEMoid first;
  PMEMmutex lock;
};
struct Buckets {
  std::uint64_t number;
  [[nodiscard]] Head* heads() noexcept { return reinterpret_cast<Head*>(this + 1); }
};
struct Control : Root {
  std::uint64_t dirty;  // the count may be wrong
  chains::Hash hash;
  PMEMoid buckets;
  PMEMoid fresh;  // where a rehash moves to; null at all other times
};

constexpr std::size_t array_size(std::uint64_t number) { return sizeof(Buckets) + number * sizeof(Head); }

std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  return POOL_OVERHEAD + objects_bytes(keys, sizeof(Entry) + value_bytes) +
         arrays_bytes(chains::FIRST, chains::most(keys), sizeof(Head));
}

/// The arguments of an entry's constructor.
struct Wanted {
  std::uint64_t key;
  const void* value;
  std::size_t value_bytes;
};

int construct_entry(PMEMobjpool* pool, void* at, void* argument) {
  const auto& wanted = *static_cast<const Wanted*>(argument);
  auto* entry = static_cast<Entry*>(at);
  entry->key = wanted.key;
  std::memcpy(entry->value(), wanted.value, wanted.value_bytes);
  pmemobj_persist(pool, entry, sizeof(Entry) + wanted.value_bytes);
  return 0;
}

int construct_buckets(PMEMobjpool* pool, void* at, void* argument) {
  const auto number = *static_cast<const std::uint64_t*>(argument);
  std::memset(at, 0, array_size(number));
  static_cast<Buckets*>(at)->number = number;
  pmemobj_persist(pool, at, array_size(number));
  return 0;
}

class HashmapAtomic final : public Structure {
 public:
  explicit HashmapAtomic(const StructureOptions& asked)
      : pool_(asked, NAME, pool_bytes(asked.keys, asked.value_bytes), sizeof(Control)),
        control_(pool_.root<Control>()) {
    if (control_.value_bytes == 0) start(asked);
    if (control_.fresh.off != 0 || control_.dirty != 0) recover(asked.path);
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    auto& head = head_of(key);
    std::uint64_t length = 0;
    if (walk(head, key, length) != nullptr) return Outcome::present;
    mark(1);
    Wanted wanted{key, value, control_.value_bytes};
    const auto made = pmemobj_list_insert_new(pool_.get(), offsetof(Entry, links), &head, OID_NULL, POBJ_LIST_DEST_HEAD,
                                              sizeof(Entry) + control_.value_bytes, ENTRIES, construct_entry, &wanted);
    if (!OID_IS_NULL(made)) set_count(control_.count + 1);
    mark(0);
    if (OID_IS_NULL(made)) return Outcome::full;
    if (chains::too_small(length + 1, control_.count, buckets().number)) wanted_ = buckets().number * 2;
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    std::uint64_t length = 0;
    auto* entry = walk(head_of(key), key, length);
    return entry == nullptr ? nullptr : entry->value();
  }

  Outcome erase(std::uint64_t key) noexcept override {
    auto& head = head_of(key);
    std::uint64_t length = 0;
    auto* entry = walk(head, key, length);
    if (entry == nullptr) return Outcome::absent;
    const auto object =
        pool_.object(static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(entry) - pool_.at<std::byte>(0)));
    mark(1);
    const bool gone = pmemobj_list_remove(pool_.get(), offsetof(Entry, links), &head, object, 1) == 0;
    if (gone) set_count(control_.count - 1);
    mark(0);
    if (!gone) return Outcome::full;
    if (chains::too_large(control_.count, buckets().number)) wanted_ = buckets().number / 2;
    return Outcome::done;
  }

  [[nodiscard]] std::uint64_t count() const noexcept override { return control_.count; }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return control_.value_bytes; }
  [[nodiscard]] bool rehash_due() const noexcept override { return wanted_ != 0; }

  std::uint64_t rehash() noexcept override {
    auto number = wanted_;
    wanted_ = 0;
    if (number == 0 ||
        pmemobj_alloc(pool_.get(), &control_.fresh, array_size(number), BUCKETS, construct_buckets, &number) != 0)
      return 0;
    return move_all();
  }

  [[nodiscard]] std::string check() const override {
    auto objects = pool_.objects();
    std::uint64_t found = 0;
    if (control_.fresh.off != 0) return "a rehash was not ended";
    const auto wrong = check_lists(control_.buckets, objects, found);
    if (!wrong.empty() || (found == control_.count && control_.dirty == 0)) return wrong;
    return "the count is " + std::to_string(control_.count) + " and " + std::to_string(found) + " entries are there";
  }

 private:
  [[nodiscard]] Buckets& buckets() const noexcept { return *pool_.at<Buckets>(control_.buckets); }
  [[nodiscard]] Head& head_of(std::uint64_t key) const noexcept {
    auto& all = buckets();
    return all.heads()[control_.hash.of(key, all.number)];
  }

  /// The entry of a key, or nullptr; `length`: the entries before it.
  [[nodiscard]] Entry* walk(const Head& head, std::uint64_t key, std::uint64_t& length) const noexcept {
    if (head.first.off == 0) return nullptr;
    auto at = head.first.off;
    do {
      auto* entry = pool_.at<Entry>(at);
      if (entry->key == key) return entry;
      ++length;
      at = entry->links.next.off;
    } while (at != head.first.off);
    return nullptr;
  }

  /// Counts the entries of an array of buckets into `found`, or returns what is wrong with them: circular lists, whose
  /// links lead back as they lead forward.
  [[nodiscard]] std::string check_lists(PMEMoid at, Objects& objects, std::uint64_t& found) const {
    if (!objects.take(at, sizeof(Buckets), BUCKETS)) return "its buckets are lost";
    auto& all = *pool_.at<Buckets>(at);
    if (!chains::is_number(all.number) || all.number > pool_.most(sizeof(Head)) ||
        pmemobj_alloc_usable_size(at) < array_size(all.number))
      return "the number of its buckets is wrong";
    for (std::uint64_t i = 0; i < all.number; ++i) {
      const auto first = all.heads()[i].first;
      const auto wrong = first.off == 0 ? "" : check_list(first, {all.number, i}, objects, found);
      if (!wrong.empty()) return wrong + " in bucket " + std::to_string(i);
    }
    return "";
  }
  struct Place {
    std::uint64_t buckets, bucket;
  };
  [[nodiscard]] std::string check_list(PMEMoid first, Place place, Objects& objects, std::uint64_t& found) const {
    for (auto at = first, before = OID_NULL;; ++found) {
      if (!objects.take(at, sizeof(Entry) + control_.value_bytes, ENTRIES)) return "a link leads to no entry";
      const auto& entry = *pool_.at<Entry>(at);
      if (!OID_IS_NULL(before) && !OID_EQUALS(entry.links.prev, before)) return "a link back is broken";
      if (control_.hash.of(entry.key, place.buckets) != place.bucket) return "a key is strange";
      before = std::exchange(at, entry.links.next);
      if (!OID_EQUALS(at, first)) continue;
      ++found;
      return OID_EQUALS(pool_.at<Entry>(first)->links.prev, before) ? "" : "a link back is broken";
    }
  }

  void mark(std::uint64_t dirty) noexcept {
    control_.dirty = dirty;
    pool_.persist(&control_.dirty, sizeof control_.dirty);
  }
  void set_count(std::uint64_t count) noexcept {
    control_.count = count;
    pool_.persist(&control_.count, sizeof control_.count);
  }

  void start(const StructureOptions& asked) {
    control_.hash = chains::Hash::drawn(asked.seed);
    pool_.persist(&control_.hash, sizeof control_.hash);
    auto number = chains::FIRST;
    if (control_.buckets.off == 0 &&
        pmemobj_alloc(pool_.get(), &control_.buckets, array_size(number), BUCKETS, construct_buckets, &number) != 0)
      throw Unsupported("pool " + asked.path + " has no space for its first buckets");
    control_.value_bytes = asked.value_bytes;
    pool_.persist(&control_.value_bytes, sizeof control_.value_bytes);
  }

  /// Continues a rehash from its present state, and ends it by one atomic step.
  std::uint64_t move_all() noexcept {
    auto& from = buckets();
    auto& to = *pool_.at<Buckets>(control_.fresh);
    std::uint64_t moved = 0;
    for (std::uint64_t i = 0; i < from.number; ++i)
      for (auto& old = from.heads()[i]; old.first.off != 0; ++moved) {
        auto& head = to.heads()[control_.hash.of(pool_.at<Entry>(old.first)->key, to.number)];
        if (pmemobj_list_move(pool_.get(), offsetof(Entry, links), &old, offsetof(Entry, links), &head, OID_NULL,
                              POBJ_LIST_DEST_HEAD, old.first) != 0)
          return moved;
      }
    pobj_action steps[3];
    pmemobj_defer_free(pool_.get(), control_.buckets, &steps[0]);
    pmemobj_set_value(pool_.get(), &steps[1], &control_.buckets.off, control_.fresh.off);
    pmemobj_set_value(pool_.get(), &steps[2], &control_.fresh.off, 0);
    pmemobj_publish(pool_.get(), steps, 3);
    return moved;
  }

  /// Continues a rehash that was interrupted, and counts again if the count may be wrong.
  /// @throws Unsupported for lists that no cut leaves of a pool that persists
  void recover(const std::string& path) {
    auto objects = pool_.objects();
    std::uint64_t found = 0;
    auto wrong = check_lists(control_.buckets, objects, found);
    if (wrong.empty() && control_.fresh.off != 0) wrong = check_lists(control_.fresh, objects, found);
    if (!wrong.empty())
      throw Unsupported("open pool " + path + ": it is damaged: " + wrong + "; make another, or restore this one");
    if (control_.fresh.off != 0) move_all();
    if (control_.dirty == 0) return;
    set_count(found);
    mark(0);
  }

  Pool pool_;
  Control& control_;
  std::uint64_t wanted_ = 0;  // buckets of the rehash that is due
};

constexpr StructureEntry entry{NAME,
                               "hash map on libpmemobj's atomic lists",
                               "PMDK, pmemobj_list_insert(3)",
                               true,
                               "",
                               &open_structure<HashmapAtomic>,
                               &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
