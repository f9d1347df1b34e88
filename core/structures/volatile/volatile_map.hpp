/// A structure in volatile memory on a map of some library: the yardstick for those in pools. Values up to 16 bytes are
/// in the map, as an object's id is in PMDK's maps; longer ones are allocated one by one. Rehash is requested before
/// the map would do it by itself, so that it can be timed separately; a map that has other reasons to rehash does it
/// within an insert.
#pragma once
#include <array>
#include <cstring>
#include <new>

#include "structures/structure.hpp"

namespace tierscope::structures {

struct Given {
  const void* bytes;
  std::size_t size;
};

struct Value {
  static constexpr std::size_t INSIDE = 16;
  explicit Value(const Given& given) {
    if (given.size > INSIDE) apart.reset(new std::byte[given.size]);
    std::memcpy(given.size > INSIDE ? static_cast<void*>(apart.get()) : inside.data(), given.bytes, given.size);
  }
  std::array<std::uint64_t, 2> inside{};
  std::unique_ptr<std::byte[]> apart;
};

/// Map: of std::uint64_t to Value, with the members of std::unordered_map that are used here, or of std::map.
template <class Map>
class VolatileMap final : public Structure {
 public:
  explicit VolatileMap(const StructureOptions& asked) : value_bytes_(asked.value_bytes) {
    require_range(asked);
    if (!asked.path.empty() || !asked.make || asked.pool_bytes != 0)
      throw BadPlan("a structure in volatile memory has no pool; leave out its path and size");
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    try {
      return map_.try_emplace(key, Given{value, value_bytes_}).second ? Outcome::done : Outcome::present;
    } catch (const std::bad_alloc&) {
      return Outcome::full;
    }
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    const auto at = map_.find(key);
    if (at == map_.end()) return nullptr;
    return value_bytes_ > Value::INSIDE ? static_cast<const void*>(at->second.apart.get()) : at->second.inside.data();
  }

  Outcome erase(std::uint64_t key) noexcept override { return map_.erase(key) == 0 ? Outcome::absent : Outcome::done; }

  [[nodiscard]] std::uint64_t count() const noexcept override { return map_.size(); }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return value_bytes_; }
  [[nodiscard]] bool rehash_due() const noexcept override {
    if constexpr (HAS_BUCKETS)
      return static_cast<double>(map_.size() + 1) >=
             static_cast<double>(map_.bucket_count()) * static_cast<double>(map_.max_load_factor());
    return false;
  }

  std::uint64_t rehash() noexcept override {
    if (!rehash_due()) return 0;
    try {
      if constexpr (HAS_BUCKETS) map_.rehash(map_.bucket_count() < FIRST ? FIRST : map_.bucket_count() * 2);
      return map_.size();
    } catch (const std::bad_alloc&) {
      return 0;
    }
  }

  [[nodiscard]] std::string check() const override {
    std::uint64_t found = 0;
    for (const auto& [key, value] : map_) {
      if (find(key) == nullptr) return "no search finds key " + std::to_string(key);
      ++found;
    }
    return found == map_.size() ? "" : "the count is wrong";
  }

 private:
  static constexpr bool HAS_BUCKETS = requires(Map map) { map.bucket_count(); };
  static constexpr std::size_t FIRST = 16;

  std::size_t value_bytes_;
  Map map_;
};

}  // namespace tierscope::structures
