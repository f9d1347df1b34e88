/// The units that a buffer of a DIMM holds: `size / unit` places in sets of `ways`, or in one set if that is absent.
///     policy   lru (the default), clock, fifo, random: which of a set makes room (replace_*.cpp)
///     index    plain: set = number mod sets; hash: set = hash(number) mod sets
/// Blind to: sets that are picked by a hash of a few address bits, and replacement that adapts to what it sees.
#pragma once
#include <memory>
#include <string_view>

#include "simulate/config.hpp"
#include "simulate/held.hpp"

namespace tierscope::simulate {

class Units {
 public:
  virtual ~Units() = default;
  /// The place that holds `key`, which is used by that; nullptr if none does.
  virtual Held* find(std::uint64_t key) = 0;
  /// The same without using it.
  [[nodiscard]] virtual const Held* peek(std::uint64_t key) const = 0;
  /// The place that `insert(key)` would take: its key is EMPTY if it holds nothing.
  virtual const Held& victim(std::uint64_t key) = 0;
  /// `key`, which no place holds, comes in.
  virtual Held& insert(std::uint64_t key) = 0;
};

/// Who makes room in a set whose places are all taken.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// What is in this way of the set was found again.
  virtual void used(std::size_t set, std::size_t way) = 0;
  /// The way that makes room; the same until `filled`, if nothing is used.
  virtual std::size_t pick(std::size_t set) = 0;
  /// Something else came in there.
  virtual void filled(std::size_t set, std::size_t way) = 0;
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
