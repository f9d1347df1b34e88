/// A structure: keys and their values, in a pool of libpmemobj or in volatile memory; a stateful workload.
/// For one thread at a time: nothing here locks, so that what is timed is the structure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/registry.hpp"

namespace tierscope {

struct StructureOptions {
  std::string path = {};         // of the pool; volatile structures take none
  bool make = true;              // a new pool, which must not be there yet; else one that is
  bool unnamed = false;          // of a new one: its file loses its name first, so that no kill leaves it behind
  std::uint64_t keys = 0;        // the most keys that it will contain
  std::size_t value_bytes = 16;  // of each value; a multiple of 8
  std::size_t pool_bytes = 0;    // of a new pool; 0: what this number of keys needs
  std::uint64_t seed = 1995;     // of the hash, where that is drawn
};

enum class Outcome : std::uint8_t {
  done,
  present,  // insert: the key was there; its value is as before
  absent,   // erase: the key was not there
  full,     // insert, erase: no room; nothing has changed
};

class Structure {
 public:
  virtual ~Structure() = default;
  Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  /// Copies value_bytes() from `value`. Durable when it returns, as are erase and rehash.
  virtual Outcome insert(std::uint64_t key, const void* value) noexcept = 0;
  /// The value, or nullptr; valid until the next change.
  [[nodiscard]] virtual const void* find(std::uint64_t key) const noexcept = 0;
  virtual Outcome erase(std::uint64_t key) noexcept = 0;
  [[nodiscard]] virtual std::uint64_t count() const noexcept = 0;

  /// Returns whether the last changes left the table too small or too large. They do not correct that themselves, so
  /// that it can be timed separately; an insert that follows may find no free space.
  [[nodiscard]] virtual bool rehash_due() const noexcept { return false; }
  /// One step to the next size, where due: how many entries were moved.
  virtual std::uint64_t rehash() noexcept { return 0; }

  /// "", or the first thing that is wrong: an entry where no search finds it, a broken link, a wrong count. Does no
  /// harm whatever the bytes of a pool are, as long as libpmemobj's own (its header, its heap) are sound.
  [[nodiscard]] virtual std::string check() const = 0;
  [[nodiscard]] virtual std::size_t value_bytes() const noexcept = 0;
};

struct StructureEntry {
  std::string_view name, summary, source;
  bool persistent;           // takes a path
  std::string_view lacking;  // "" or why this build cannot
  /// Makes it, or opens it and recovers what a power failure left.
  /// @throws BadPlan for words out of range; Unsupported for a pool that is too small, in use, or of another layout;
  /// SystemError if the file cannot be made.
  std::unique_ptr<Structure> (*open)(const StructureOptions& options);
  /// Returns the size of a pool for this number of keys, rehash included; 0 for a volatile structure: no pool.
  std::size_t (*pool_bytes)(std::uint64_t keys, std::size_t value_bytes);
  std::string_view unrecorded = {};  // "" or why changes of it are not seen where accesses are recorded
};

/// A pool that was there may be damaged, or made to do harm: nothing is looked up or changed in it before all of it was
/// checked. @throws Unsupported with what is wrong
template <class T, class... Words>
std::unique_ptr<Structure> make_structure(const StructureOptions& asked, Words... words) {
  auto made = std::make_unique<T>(asked, words...);
  const auto wrong = asked.make || asked.path.empty() ? "" : made->check();
  if (!wrong.empty())
    throw Unsupported("open pool " + asked.path + ": it is damaged: " + wrong + "; make another, or restore this one");
  return made;
}
template <class T>
std::unique_ptr<Structure> open_structure(const StructureOptions& asked) {
  return make_structure<T>(asked);
}

namespace structures {

/// Return the bytes of a pool that a structure in volatile memory needs: none.
inline std::size_t no_pool(std::uint64_t, std::size_t) { return 0; }

constexpr std::string_view RECORDED = "unordered_map or robin_map";  // instead of one that is unrecorded
constexpr std::uint64_t MOST_KEYS = std::uint64_t{1} << 32U;
constexpr std::size_t LARGEST_VALUE = std::size_t{1} << 20U;

/// @throws BadPlan if keys or value_bytes are out of range.
inline void require_range(const StructureOptions& asked) {
  if (asked.keys < 1 || asked.keys > MOST_KEYS)
    throw BadPlan("a structure of " + std::to_string(asked.keys) + " keys; give 1 to " + std::to_string(MOST_KEYS));
  if (asked.value_bytes < 8 || asked.value_bytes > LARGEST_VALUE || asked.value_bytes % 8 != 0)
    throw BadPlan("values of " + std::to_string(asked.value_bytes) + " bytes; give a multiple of 8 from 8 to " +
                  std::to_string(LARGEST_VALUE));
}

}  // namespace structures
}  // namespace tierscope
