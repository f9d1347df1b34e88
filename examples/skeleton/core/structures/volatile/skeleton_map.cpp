/// `skeleton_map`: the smallest structure, keys and values in one array that is sorted by key.
/// Copy this file to core/structures/volatile/NAME.cpp. A structure in a pool of libpmemobj goes to persistent/, and
/// its name also to without_pool.cpp, which lists it where the library is missing. Source: D. E. Knuth, The Art of
/// Computer Programming, volume 3, 6.2.1, 1998 (binary search).
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "structures/structure.hpp"

namespace tierscope::structures {
namespace {

/// For one thread at a time, without locks. Each function that is timed is noexcept: it reports, and does not throw.
class Skeleton final : public Structure {
 public:
  explicit Skeleton(const StructureOptions& asked) : value_bytes_(asked.value_bytes) {
    require_range(asked);
    if (!asked.path.empty() || !asked.make || asked.pool_bytes != 0)
      throw BadPlan("a structure in volatile memory has no pool; leave out its path and size");
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    const auto at = place(key);
    if (holds(at, key)) return Outcome::present;
    try {
      const auto needed = values_.size() + value_bytes_;
      if (values_.capacity() < needed) values_.reserve(2 * needed);  // so that nothing below can fail half-way
      keys_.insert(keys_.begin() + at, key);
      const auto* bytes = static_cast<const std::byte*>(value);
      values_.insert(values_.begin() + at * width(), bytes, bytes + value_bytes_);
      return Outcome::done;
    } catch (const std::bad_alloc&) {
      return Outcome::full;  // and nothing has changed
    }
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    const auto at = place(key);
    return holds(at, key) ? values_.data() + at * width() : nullptr;
  }

  Outcome erase(std::uint64_t key) noexcept override {
    const auto at = place(key);
    if (!holds(at, key)) return Outcome::absent;
    keys_.erase(keys_.begin() + at);
    values_.erase(values_.begin() + at * width(), values_.begin() + (at + 1) * width());
    return Outcome::done;
  }

  [[nodiscard]] std::uint64_t count() const noexcept override { return keys_.size(); }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return value_bytes_; }

  /// Returns "", or the first thing that is wrong.
  [[nodiscard]] std::string check() const override {
    if (values_.size() != keys_.size() * value_bytes_) return "there are more keys than values, or fewer";
    const auto wrong = std::adjacent_find(keys_.begin(), keys_.end(), std::greater_equal<>{});
    return wrong == keys_.end() ? "" : "key " + std::to_string(*wrong) + " is not below the next one";
  }

 private:
  [[nodiscard]] std::ptrdiff_t place(std::uint64_t key) const noexcept {
    return std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin();
  }
  [[nodiscard]] bool holds(std::ptrdiff_t at, std::uint64_t key) const noexcept {
    return at < std::ssize(keys_) && keys_[static_cast<std::size_t>(at)] == key;
  }
  [[nodiscard]] std::ptrdiff_t width() const noexcept { return static_cast<std::ptrdiff_t>(value_bytes_); }

  std::size_t value_bytes_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::byte> values_;
};

/// Name, which no kernel may have; summary, source; whether it is persistent; why this build lacks it ("" if it does
/// not); how it is opened; the bytes of its pool.
constexpr StructureEntry entry{"skeleton_map",
                               "keys and values in a sorted array, in volatile memory",
                               "D. E. Knuth, The Art of Computer Programming, volume 3, 6.2.1, 1998",
                               false,
                               "",
                               &open_structure<Skeleton>,
                               &no_pool};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
