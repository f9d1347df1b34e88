/// `hashmap_tx`: chains in one direction, each change a transaction; so is a whole rehash.
/// Source: PMDK, libpmemobj_tx(7); the design is that of PMDK's map of this name.
#include <cstring>

#include "structures/persistent/chains.hpp"
#include "structures/persistent/pool.hpp"
#include "structures/persistent/transaction.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "hashmap_tx";
constexpr std::uint64_t ENTRIES = 1, BUCKETS = 2;  // types of objects
/// In the undo log, of each link that a rehash changes: it and its header, in whole lines; and the log's own growth.
constexpr std::size_t UNDO_BYTES = 192;

struct Entry {
  std::uint64_t key;
  PMEMoid next;
  [[nodiscard]] std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
struct Buckets {
  std::uint64_t number;
  [[nodiscard]] PMEMoid* heads() noexcept { return reinterpret_cast<PMEMoid*>(this + 1); }
};
struct Control : Root {
  chains::Hash hash;
  PMEMoid buckets;
};

constexpr std::size_t array_size(std::uint64_t number) { return sizeof(Buckets) + number * sizeof(PMEMoid); }

std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  return POOL_OVERHEAD + objects_bytes(keys, sizeof(Entry) + value_bytes) + keys * UNDO_BYTES +
         arrays_bytes(chains::FIRST, chains::most(keys), sizeof(PMEMoid));
}

class HashmapTx final : public Structure {
 public:
  explicit HashmapTx(const StructureOptions& asked)
      : pool_(asked, NAME, pool_bytes(asked.keys, asked.value_bytes), sizeof(Control)),
        control_(pool_.root<Control>()) {
    if (control_.value_bytes == 0) start(asked);
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    auto& head = head_of(key);
    std::uint64_t length = 0;
    if (*walk(head, key, length) != 0) return Outcome::present;
    Transaction transaction(pool_.get());
    transaction.keep(head);
    transaction.keep(control_.count);
    const auto made = transaction.make(sizeof(Entry) + control_.value_bytes, ENTRIES);
    if (!transaction.works()) return Outcome::full;
    auto& entry = *pool_.at<Entry>(made);
    entry.key = key;
    entry.next = head;
    std::memcpy(entry.value(), value, control_.value_bytes);
    head = made;
    ++control_.count;
    transaction.commit();
    if (chains::too_small(length + 1, control_.count, buckets().number)) wanted_ = buckets().number * 2;
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    std::uint64_t length = 0;
    const auto at = *walk(head_of(key), key, length);
    return at == 0 ? nullptr : pool_.at<Entry>(at)->value();
  }

  Outcome erase(std::uint64_t key) noexcept override {
    std::uint64_t length = 0;
    auto* link = walk(head_of(key), key, length);
    if (*link == 0) return Outcome::absent;
    Transaction transaction(pool_.get());
    transaction.keep(*link);
    transaction.keep(control_.count);
    transaction.free(pool_.object(*link));
    if (!transaction.works()) return Outcome::full;
    *link = pool_.at<Entry>(*link)->next.off;
    --control_.count;
    transaction.commit();
    if (chains::too_large(control_.count, buckets().number)) wanted_ = buckets().number / 2;
    return Outcome::done;
  }

  [[nodiscard]] std::uint64_t count() const noexcept override { return control_.count; }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return control_.value_bytes; }
  [[nodiscard]] bool rehash_due() const noexcept override { return wanted_ != 0; }

  std::uint64_t rehash() noexcept override {
    const auto number = wanted_;
    wanted_ = 0;
    if (number == 0) return 0;
    Transaction transaction(pool_.get());
    transaction.keep(control_.buckets);
    const auto made = transaction.make(array_size(number), BUCKETS, POBJ_XALLOC_ZERO);
    if (!transaction.works()) return 0;
    auto& to = *pool_.at<Buckets>(made);
    to.number = number;
    const auto moved = move_all(transaction, to);
    transaction.free(control_.buckets);
    if (!transaction.works()) return 0;
    control_.buckets = made;
    transaction.commit();
    return moved;
  }

  [[nodiscard]] std::string check() const override {
    auto objects = pool_.objects();
    if (!objects.take(control_.buckets, sizeof(Buckets), BUCKETS)) return "its buckets are lost";
    auto& all = buckets();
    if (!chains::is_number(all.number) || all.number > pool_.most(sizeof(PMEMoid)) ||
        pmemobj_alloc_usable_size(control_.buckets) < array_size(all.number))
      return "the number of its buckets is wrong";
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < all.number; ++i)
      for (auto at = all.heads()[i]; at.off != 0; at = pool_.at<Entry>(at)->next) {
        const auto where = " in bucket " + std::to_string(i);
        if (!objects.take(at, sizeof(Entry) + control_.value_bytes, ENTRIES)) return "a link leads to no entry" + where;
        if (control_.hash.of(pool_.at<Entry>(at)->key, all.number) != i) return "a key is strange" + where;
        if (++found > control_.count) return "there are too many entries" + where;
      }
    if (found == control_.count) return "";
    return "the count is " + std::to_string(control_.count) + " and " + std::to_string(found) + " entries are there";
  }

 private:
  [[nodiscard]] Buckets& buckets() const noexcept { return *pool_.at<Buckets>(control_.buckets); }
  [[nodiscard]] PMEMoid& head_of(std::uint64_t key) const noexcept {
    auto& all = buckets();
    return all.heads()[control_.hash.of(key, all.number)];
  }

  /// The link to the entry of a key, or the last one, which is 0; `length`: the entries before it.
  [[nodiscard]] std::uint64_t* walk(PMEMoid& head, std::uint64_t key, std::uint64_t& length) const noexcept {
    auto* link = &head.off;
    for (; *link != 0; ++length) {
      auto& entry = *pool_.at<Entry>(*link);
      if (entry.key == key) break;
      link = &entry.next.off;
    }
    return link;
  }

  /// Links every entry again; the old array stays unchanged until it is freed.
  std::uint64_t move_all(Transaction& transaction, Buckets& to) noexcept {
    auto& from = buckets();
    std::uint64_t moved = 0;
    for (std::uint64_t i = 0; i < from.number; ++i)
      for (auto here = from.heads()[i]; here.off != 0; ++moved) {
        auto& entry = *pool_.at<Entry>(here);
        const auto next = entry.next;
        transaction.keep(entry.next);
        if (!transaction.works()) return moved;
        auto& head = to.heads()[control_.hash.of(entry.key, to.number)];
        entry.next = head;
        head = here;
        here = next;
      }
    return moved;
  }

  void start(const StructureOptions& asked) {
    Transaction transaction(pool_.get());
    transaction.keep(control_);
    const auto made = transaction.make(array_size(chains::FIRST), BUCKETS, POBJ_XALLOC_ZERO);
    if (!transaction.works()) throw Unsupported("pool " + asked.path + " has no space for its first buckets");
    pool_.at<Buckets>(made)->number = chains::FIRST;
    control_.value_bytes = asked.value_bytes;
    control_.hash = chains::Hash::drawn(asked.seed);
    control_.buckets = made;
    transaction.commit();
  }

  Pool pool_;
  Control& control_;
  std::uint64_t wanted_ = 0;  // buckets of the rehash that is due
};

constexpr StructureEntry entry{
    NAME,       "hash map on libpmemobj's transactions", "PMDK, libpmemobj_tx(7)", true, "", &open_structure<HashmapTx>,
    &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
