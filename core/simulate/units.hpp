/// The units in a buffer of a DIMM: `size / unit` places in sets of `ways`, or in one set if that is absent.
///     policy   lru (the default), clock, fifo, random: the unit of a set that is replaced (replace_*.cpp)
///     index    plain: set = number mod sets; hash: set = hash(number) mod sets
/// Blind to: sets that are picked by a hash of a few address bits, and replacement that adapts to the accesses.
#pragma once
#include <memory>
#include <string_view>

#include "simulate/config.hpp"
#include "simulate/held.hpp"

namespace tierscope::simulate {

class Units {
 public:
  virtual ~Units() = default;
  /// Find the place with `key` and use it; return nullptr if there is none.
  virtual Held* find(std::uint64_t key) = 0;
  /// Find the place without using it.
  [[nodiscard]] virtual const Held* peek(std::uint64_t key) const = 0;
  /// Return the place that `insert(key)` would take: its key is EMPTY if it is free.
  virtual const Held& victim(std::uint64_t key) = 0;
  /// Insert `key`, which has no place yet.
  virtual Held& insert(std::uint64_t key) = 0;
  /// Bring what `find(key)` and `insert(key)` will read into the host's caches; nothing else changes. Call it with the
  /// steps 0 to ANNOUNCED - 1 for one key, and with other keys in between.
  virtual void announce(std::uint64_t key, unsigned step) const = 0;
  /// Return the bytes of the host that the units take.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// The policy that chooses the way to replace in a set whose places are all taken.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// Note a hit in this way of the set.
  virtual void used(std::size_t set, std::size_t way) = 0;
  /// Return the way to replace; the same until `filled`, if nothing is used.
  virtual std::size_t pick(std::size_t set) = 0;
  /// Note that another key was inserted there.
  virtual void filled(std::size_t set, std::size_t way) = 0;
  /// Guess the way that `pick` will return after `later` more keys of this set; nothing changes.
  [[nodiscard]] virtual std::size_t guess(std::size_t set, std::size_t later) const = 0;
  /// Bring what `pick` reads of this set into the host's caches.
  virtual void announce(std::size_t) const {}
};

/// `policy = "fifo"` in a table [[buffer]].
struct ReplacementEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Replacement> (*make)(std::size_t sets, std::size_t ways, std::uint64_t seed);
};

template <class T>
std::unique_ptr<Replacement> make_replacement(std::size_t sets, std::size_t ways, std::uint64_t seed) {
  return std::make_unique<T>(sets, ways, seed);
}

/// @throws BadPlan naming the key
std::unique_ptr<Units> make_units(const Section& section, std::size_t places, std::uint64_t seed);

}  // namespace tierscope::simulate
