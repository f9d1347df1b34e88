/// A target is where the bytes live. It maps them, and afterwards reports where they really are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tierscope {

/// The request: the text behind the colon, and the pages.
struct TargetOptions {
  std::string where;
  std::string pages = "thp";  // 4k, thp, 2m, 1g
};

/// A mapping that its destructor unmaps. The range inside starts on a 2 MiB boundary.
class Buffer {
 public:
  Buffer() = default;
  Buffer(void* mapping, std::size_t mapping_bytes, std::size_t offset, std::size_t size) noexcept
      : mapping_(mapping), mapping_bytes_(mapping_bytes), bytes_(static_cast<std::byte*>(mapping) + offset, size) {}
  /// Bytes inside something that is released with its last keeper: a pool, a device.
  Buffer(std::shared_ptr<void> keeper, std::span<std::byte> bytes) noexcept
      : keeper_(std::move(keeper)), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::shared_ptr<void> keeper_;
  std::span<std::byte> bytes_;
};

/// The location of pages, and how it was determined.
struct Placement {
  std::map<std::size_t, std::size_t> pages;  // page size -> bytes mapped with it
  std::map<unsigned, std::size_t> nodes;     // NUMA node -> bytes; empty if the question does not apply
  std::string how;
};

/// The steps after which bytes of a target survive a power failure, and how they are known.
struct Persistence {
  std::string domain = "none";  // none: they never do; adr: written back and fenced; eadr: stored; msync: after msync
  std::string how = "volatile memory";
};

/// The delays that a target adds to its memory to emulate a slower one; 0 adds nothing.
struct Emulation {
  double latency_floor_s = 0;  // of one dependent access
  double bandwidth = 0;        // at most, program bytes/s of all threads on targets of the same text
  unsigned node = 0;           // whose memory it is
};

class Target {
 public:
  virtual ~Target() = default;
  /// Map untouched memory; the team that uses it touches it first. @throws SystemError, Unsupported
  [[nodiscard]] virtual Buffer map(std::size_t size_bytes) const = 0;
  /// Call it after every page was touched. @throws Unsupported if the bytes are not where they were requested; Fault,
  /// which names the byte and not the target
  [[nodiscard]] virtual Placement inspect(const Buffer& buffer) const = 0;
  /// Return false if there is no memory behind it: only kernels without content run.
  [[nodiscard]] virtual bool serves_memory() const { return true; }
  [[nodiscard]] virtual const char* origin() const { return "real"; }
  /// Return a short name of what emulates or simulates it; "" if it is real.
  [[nodiscard]] virtual std::string origin_by() const { return ""; }
  [[nodiscard]] virtual Persistence persistence() const { return {}; }
  [[nodiscard]] virtual Emulation emulation() const { return {}; }
};

struct TargetEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view word;  // how it is written
  std::unique_ptr<Target> (*make)(const TargetOptions&);
  /// The source of its bytes, and so what limits them: `memory`; on a path `page cache` (and memory), `file system`,
  /// `pool`, `device`; `nothing`.
  std::string_view held_in = "memory";
  std::string_view lacking = {};  // "", or the reason why this build cannot
};

template <class T>
std::unique_ptr<Target> make_target(const TargetOptions& options) {
  return std::make_unique<T>(options);
}

}  // namespace tierscope
