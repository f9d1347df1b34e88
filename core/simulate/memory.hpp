/// The memory behind the caches: an access of one line in, its time out. Each memory keeps its own queues and buffers
/// as times until which its parts are busy, so that it serves requests in the order of their arrival.
#pragma once
#include <memory>
#include <string_view>

#include "simulate/config.hpp"

namespace tierscope::simulate {

constexpr unsigned ANNOUNCED = 3;  // steps

class Memory {
 public:
  virtual ~Memory() = default;
  /// Request a line at `at`; return when its data are back. Calls come nearly in the order of `at`: a part that gets a
  /// request slightly too early answers as if it came then.
  virtual Time read(std::uint64_t address, Time at) = 0;
  /// Hand a line over at `at`; return when it is accepted: for persistent memory, when it survives the loss of power.
  virtual Time write(std::uint64_t address, Time at) = 0;
  /// Add its events under names that begin with `prefix`, such as "pmem.reads".
  virtual void count(const std::string& prefix, Counters& counters) const = 0;
  virtual void reset_counters() = 0;
  /// Share what requests pass before they reach a memory with another one of the same kind.
  virtual void share_controller(Memory&) {}
  /// Return the bytes that it keeps nearer than its medium: a warm-up must touch more than these.
  [[nodiscard]] virtual std::uint64_t reach() const { return 0; }
  /// Return whether it has tables so large that `announce` before accesses makes them faster.
  [[nodiscard]] virtual bool announced() const { return false; }
  /// Bring what an access of this line will read of these tables into the host's caches; nothing else changes. Call it
  /// with the steps 0 to ANNOUNCED - 1 for one line, and with other lines in between, so that each step finds what the
  /// one before it asked for.
  virtual void announce(std::uint64_t, unsigned) const {}
};

/// A kind of memory: `kind = "dimm"` in a section [memory.NAME].
struct MemoryEntry {
  std::string_view name;
  std::string_view summary;
  /// @throws BadPlan naming the key
  std::unique_ptr<Memory> (*make)(const Section& section, std::uint64_t seed);
};

template <class T>
std::unique_ptr<Memory> make_memory(const Section& section, std::uint64_t seed) {
  return std::make_unique<T>(section, seed);
}

}  // namespace tierscope::simulate
