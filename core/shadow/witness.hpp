/// The one witness of a process: what the functions of the preloaded library report to, from all threads.
#pragma once
#include <mutex>
#include <optional>

#include "shadow/counts.hpp"
#include "shadow/watched.hpp"

namespace tierscope::shadow {

/// While one lives, calls made further inside are not reported: pmem_msync is not counted once more as msync.
class Inside {
 public:
  Inside() noexcept : outermost_(depth++ == 0) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { --depth; }
  [[nodiscard]] bool outermost() const noexcept { return outermost_; }

 private:
  static thread_local unsigned depth;
  bool outermost_;
};

/// An image that cannot be written ends the program with status 70 and a line on standard error: a missing image
/// would pass for one that was never asked for.
class Witness {
 public:
  /// As TIERSCOPE_SHADOW requests.
  Witness() noexcept;
  static Witness& here() noexcept;

  void flushed(const void* at, std::size_t size) noexcept;
  void fenced() noexcept;
  /// msync has returned: its pages, and nothing else.
  void synced(const void* at, std::size_t size) noexcept;
  /// fsync has returned.
  void synced_file(int file) noexcept;
  void mapped(const void* at, std::size_t size, int file, off_t offset) noexcept;
  /// Before mappings or their rights change in a way that is not announced beforehand.
  void changing() noexcept;
  /// Some file has; the one that is followed may be it.
  void resized() noexcept;
  void unmapped(const void* at, std::size_t size) noexcept;
  void moved(const void* from, std::size_t old_size, const void* to, std::size_t size) noexcept;

  void take(Counts& counts) noexcept;
  /// counts.json, of the process that mapped the file, or of each that counted where no file was named.
  void finish() noexcept;
  /// A forked child is another process: where its parent has mapped the file it is not followed, and leaves word if it
  /// flushes that.
  void before_fork() noexcept { turn_.lock(); }
  void after_fork() noexcept { turn_.unlock(); }
  void in_child() noexcept;

 private:
  template <class Action>
  void guarded(Action action) noexcept;
  void inherited(const void* at, std::size_t size) const;
  void count(std::uint64_t flushes, std::uint64_t lines, std::uint64_t fences, std::uint64_t syncs) noexcept;

  std::recursive_mutex turn_;
  bool awake_ = false;
  bool stranger_ = false;  // a child whose parent is followed, or counts
  Plan plan_;
  std::optional<Watched> watched_;
  Counts all_, taken_;
};

}  // namespace tierscope::shadow
