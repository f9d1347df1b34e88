/// The floor of an emulated tier (bench/throttle.hpp) under the loads of a structure, whose code calls hooks: only in
/// tierscope-core-traced. The first load of each line in an operation takes
///     max(its own time, floor)                    [s]
/// and the next load waits for it, because a structure follows pointers. Later loads of the line find it in the nearest
/// cache. A load of several lines waits once. A wait ends up to one read of the clock late, and the first read takes
/// time of its own. Both are subtracted from the next wait, so that the mean is exact where a single load is not.
/// Blind to: caches from one operation to the next. A line that they contain waits as long as one in memory, so times
/// are those of a memory without caches. Stores, flushes and fences wait for nothing.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tierscope::recorded {

class Delays {
 public:
  /// apart: bytes that are not the structure's, such as the value that an insert copies.
  /// pools: only loads of pools wait; else all but those of `apart` and of the thread's stack.
  Delays(double floor_s, std::span<const std::byte> apart, bool pools);
  /// Call it before the first `begin` on a thread: it looks up where the stack is.
  void settle() noexcept;
  /// From here to `end`, loads of this thread wait.
  void begin() noexcept;
  void end() noexcept;
  /// Another operation begins, which has loaded nothing.
  void restart() noexcept { ++operation_; }
  /// The loads that waited since the last call.
  [[nodiscard]] std::uint64_t take() noexcept {
    const auto taken = waits_;
    waits_ = 0;
    return taken;
  }
  void load(const void* at) noexcept;

 private:
  /// The operation that loaded a line last. Two lines may have one place: then the first of them waits again.
  struct Loaded {
    std::uintptr_t line = 0;
    std::uint64_t operation = 0;
  };
  static constexpr std::size_t PLACES = 1024;
  using Places = std::array<Loaded, PLACES>;
  struct Range {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    [[nodiscard]] bool has(std::uintptr_t at) const noexcept { return at - begin < size; }
  };
  [[nodiscard]] bool wants(std::uintptr_t at) const noexcept;
  bool first(std::uintptr_t line) noexcept;

  std::uint64_t floor_ticks_, read_ticks_, late_ticks_, owed_ticks_;  // owed: to be subtracted from the next wait
  Range apart_, stack_;
  bool pools_;
  std::unique_ptr<Places> loaded_ = std::make_unique<Places>();
  std::uint64_t operation_ = 1;
  std::uint64_t waits_ = 0;
};

}  // namespace tierscope::recorded
