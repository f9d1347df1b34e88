/// The pool of a structure: a file of libpmemobj with one root object, which a structure makes its own.
/// Source: PMDK, libpmemobj(7), pmemobj_create(3), pmemobj_root(3).
#pragma once
#include <libpmemobj.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "structures/structure.hpp"

namespace tierscope::structures {

/// The first part of every root object.
struct Root {
  std::uint64_t value_bytes;  // 0: nothing has been made yet
  std::uint64_t count;
};

/// The objects in a pool, by libpmemobj's own list, for a check that trusts no link: each may be taken once.
/// Source: PMDK, pmemobj_first(3).
class Objects {
 public:
  /// The root object is none of them.
  explicit Objects(PMEMobjpool* pool);
  /// Returns whether one of this type begins here, has at least this size, and was not taken before.
  [[nodiscard]] bool take(std::uint64_t offset, std::size_t size_bytes, std::uint64_t type);
  /// The same for an id, which names the pool as well.
  [[nodiscard]] bool take(PMEMoid object, std::size_t size_bytes, std::uint64_t type) {
    return object.pool_uuid_lo == uuid_ && take(object.off, size_bytes, type);
  }

 private:
  struct Object {
    std::uint64_t offset, type;
    std::size_t size_bytes;
    bool taken;
  };
  std::vector<Object> objects_;  // by offset
  std::uint64_t uuid_;
};

class Pool {
 public:
  /// The layout is the name of the structure behind "tierscope-".
  /// @throws as StructureEntry::open. It removes a pool that it could not complete.
  Pool(const StructureOptions& asked, std::string_view structure, std::size_t needed_bytes, std::size_t root_bytes);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { pmemobj_close(pool_); }

  [[nodiscard]] PMEMobjpool* get() const noexcept { return pool_; }
  /// An object is at an offset from the start of its pool: no search for the pool, as in pmemobj_direct.
  template <class T>
  [[nodiscard]] T* at(std::uint64_t offset) const noexcept {
    return reinterpret_cast<T*>(start_ + offset);
  }
  template <class T>
  [[nodiscard]] T* at(PMEMoid object) const noexcept {
    return at<T>(object.off);
  }
  template <class T>
  [[nodiscard]] T& root() const noexcept {
    return *at<T>(root_);
  }
  [[nodiscard]] PMEMoid object(std::uint64_t offset) const noexcept { return {root_.pool_uuid_lo, offset}; }
  [[nodiscard]] Objects objects() const { return Objects(pool_); }
  /// Return the most objects of a size that fit: a bound for every walk along links.
  [[nodiscard]] std::uint64_t most(std::size_t size_bytes) const noexcept { return size_ / size_bytes; }
  void persist(const void* at, std::size_t size_bytes) const noexcept { pmemobj_persist(pool_, at, size_bytes); }

 private:
  PMEMobjpool* pool_;
  std::size_t size_;
  PMEMoid root_{};
  std::byte* start_ = nullptr;
};

/// Bytes of a pool other than objects: header, 1024 lanes of 3 KiB, the header of a zone, rounding to chunks.
constexpr std::size_t POOL_OVERHEAD = PMEMOBJ_MIN_POOL;

/// Return the bytes that the first object of its size takes. The allocator sets a run of chunks of 256 KiB apart for
/// objects of one size, for 200 of them, but no more than 16 chunks. An object over half a chunk has chunks of its own.
/// Source: PMDK, src/libpmemobj/alloc_class.c; measured with 1.12.
constexpr std::size_t run_bytes(std::size_t size_bytes) {
  constexpr std::size_t chunk = std::size_t{256} << 10U;
  const auto wanted = size_bytes > chunk / 2 ? size_bytes + 64 : std::min(200 * size_bytes, 16 * chunk);
  return (wanted + chunk - 1) / chunk * chunk;
}

/// Returns the most bytes that this number of objects needs: each a header of 16 bytes, then the next class of the
/// allocator (128, 192, 256, 320, 576 ...); runs contain a little less than their chunks.
constexpr std::size_t objects_bytes(std::uint64_t number, std::size_t size_bytes) {
  const auto each = size_bytes + 16 <= 128 ? 128 : 2 * (size_bytes + 16);
  return number * each + number * each / 64 + run_bytes(each);
}

/// Return the bytes of all arrays that a table had while it doubled from `first` to `last` elements: the allocator
/// does not join what it freed. The last one counts twice, for a rehash that keeps the size.
constexpr std::size_t arrays_bytes(std::uint64_t first, std::uint64_t last, std::size_t element_bytes) {
  std::size_t sum = 0;
  for (; first < 2 * last; first *= 2) sum += run_bytes(first * element_bytes);
  return sum + run_bytes(last * element_bytes);
}

}  // namespace tierscope::structures
