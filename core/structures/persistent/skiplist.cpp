/// `skiplist`: sorted lists above each other, each of about half the entries of the one below; each change is a
/// transaction. How many lists an entry is in follows from its key, so that nothing random must be kept.
/// Source: PMDK, libpmemobj_tx(7); W. Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees", CACM 33(6),
/// 1990.
#include <array>
#include <bit>

#include "base/random.hpp"
#include "structures/persistent/transacted.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "skiplist";
constexpr std::uint64_t ENTRIES = 1;  // type of objects
constexpr std::uint64_t MOST = 32;    // lists; one for each doubling of MOST_KEYS

using Links = std::array<std::uint64_t, MOST>;

struct Control : Root {
  Links first;  // entry of each list
};
/// Its links, one for each list it is in, then its value.
struct Entry {
  std::uint64_t key;
  [[nodiscard]] std::uint64_t* next() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
  [[nodiscard]] std::byte* value(std::uint64_t height) noexcept {
    return reinterpret_cast<std::byte*>(next() + height);
  }
};

/// In how many lists a key is: one more with a chance of a half.
constexpr std::uint64_t height_of(std::uint64_t key) noexcept {
  const auto word = random_word(key, 0) | std::uint64_t{1} << (MOST - 1);
  return 1 + static_cast<std::uint64_t>(std::countr_zero(word));
}

constexpr std::size_t entry_bytes(std::uint64_t height, std::size_t value_bytes) {
  return sizeof(Entry) + height * sizeof(std::uint64_t) + value_bytes;
}

/// One entry in 256 is in more than 8 lists. Each size that the allocator knows has chunks of its own, 64 bytes apart.
std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  const auto highest = entry_bytes(MOST, value_bytes);
  return POOL_OVERHEAD + objects_bytes(keys, entry_bytes(8, value_bytes)) + objects_bytes(keys / 64 + 8, highest) +
         MOST / 8 * run_bytes(highest);
}

class Skiplist final : public Transacted<Control> {
 public:
  explicit Skiplist(const StructureOptions& asked)
      : Transacted(asked, NAME, pool_bytes(asked.keys, asked.value_bytes)) {
    while (lists_ > 1 && control_.first[lists_ - 1] == 0) --lists_;
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    auto before = path(key);
    if (is(*before[0], key)) return Outcome::present;
    const auto height = height_of(key);
    for (auto list = lists_; list < height; ++list) before[list] = &control_.first[list];
    Transaction transaction(pool_.get());
    const auto made = transaction.make(entry_bytes(height, control_.value_bytes), ENTRIES).off;
    for (std::uint64_t list = 0; list < height; ++list) transaction.keep(*before[list]);
    transaction.keep(control_.count);
    if (!transaction.works()) return Outcome::full;
    auto& entry = *pool_.at<Entry>(made);
    entry.key = key;
    std::memcpy(entry.value(height), value, control_.value_bytes);
    for (std::uint64_t list = 0; list < height; ++list) {
      entry.next()[list] = *before[list];
      *before[list] = made;
    }
    ++control_.count;
    transaction.commit();
    lists_ = std::max(lists_, height);
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    std::uint64_t at = 0;
    walk(key, [&](std::uint64_t, const std::uint64_t* link) { at = *link; });
    return is(at, key) ? pool_.at<Entry>(at)->value(height_of(key)) : nullptr;
  }

  Outcome erase(std::uint64_t key) noexcept override {
    const auto before = path(key);
    const auto at = *before[0];
    if (!is(at, key)) return Outcome::absent;
    const auto height = height_of(key);
    Transaction transaction(pool_.get());
    for (std::uint64_t list = 0; list < height; ++list) transaction.keep(*before[list]);
    transaction.keep(control_.count);
    transaction.free(pool_.object(at));
    if (!transaction.works()) return Outcome::full;
    for (std::uint64_t list = 0; list < height; ++list) *before[list] = pool_.at<Entry>(at)->next()[list];
    --control_.count;
    transaction.commit();
    return Outcome::done;
  }

  /// Walks the lowest list, and demands that each other list goes from one of its entries to the next.
  [[nodiscard]] std::string check() const override {
    auto expected = control_.first;
    std::uint64_t found = 0, last = 0;
    auto objects = pool_.objects();
    for (auto at = expected[0]; at != 0; at = expected[0]) {
      if (!objects.take(at, entry_bytes(1, control_.value_bytes), ENTRIES)) return "a link leads to no entry";
      auto& entry = *pool_.at<Entry>(at);
      const auto height = height_of(entry.key);
      if (pmemobj_alloc_usable_size(pool_.object(at)) < entry_bytes(height, control_.value_bytes))
        return "an entry is too small for its links";
      if (found > 0 && entry.key <= last) return "the keys are out of order";
      if (++found > control_.count) return "there are too many entries";
      last = entry.key;
      for (std::uint64_t list = 0; list < height; ++list) {
        if (expected[list] != at) return "list " + std::to_string(list) + " leaves out key " + std::to_string(last);
        expected[list] = entry.next()[list];
      }
    }
    return expected == Links{} ? check_count(found) : "a list continues beyond the last entry";
  }

 private:
  using Path = std::array<std::uint64_t*, MOST>;

  [[nodiscard]] bool is(std::uint64_t at, std::uint64_t key) const noexcept {
    return at != 0 && pool_.at<Entry>(at)->key == key;
  }

  /// Calls note(list, link) for each list in use, the highest first: the link that goes beyond all keys below `key`.
  template <class Note>
  void walk(std::uint64_t key, Note note) const noexcept {
    auto* links = control_.first.data();
    for (auto list = lists_; list-- > 0;) {
      for (auto at = links[list]; at != 0 && pool_.at<Entry>(at)->key < key; at = links[list])
        links = pool_.at<Entry>(at)->next();
      note(list, &links[list]);
    }
  }
  [[nodiscard]] Path path(std::uint64_t key) const noexcept {
    Path links{};
    walk(key, [&](std::uint64_t list, std::uint64_t* link) { links[list] = link; });
    return links;
  }

  std::uint64_t lists_ = MOST;  // in use; those above are empty
};

constexpr StructureEntry entry{NAME,
                               "skip list on libpmemobj's transactions",
                               "W. Pugh, Skip Lists, CACM 33(6), 1990",
                               true,
                               "",
                               &open_structure<Skiplist>,
                               &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
