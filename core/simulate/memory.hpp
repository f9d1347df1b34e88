/// What lies behind the caches: one line in, the time out. Each keeps its own queues and buffers as times until which
/// its parts are busy, so that whoever comes first is served first.
#pragma once
#include <memory>
#include <string_view>

#include "simulate/config.hpp"

namespace tierscope::simulate {

class Memory {
 public:
  virtual ~Memory() = default;
  /// A line is asked for at `at`; when its data are back. Calls come in the order of `at`, near enough: a part that was
  /// asked a little too early answers as if it had been asked then.
  virtual Time read(std::uint64_t address, Time at) = 0;
  /// A line is handed over at `at`; when it is accepted: for persistent memory, when it survives the loss of power.
  virtual Time write(std::uint64_t address, Time at) = 0;
  /// Adds its events under names that begin with `prefix`, such as "pmem.reads".
  virtual void count(const std::string& prefix, Counters& counters) const = 0;
  virtual void reset_counters() = 0;
  /// Bytes that it keeps nearer than its medium: a warm-up must touch more than these.
  [[nodiscard]] virtual std::uint64_t reach() const { return 0; }
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
