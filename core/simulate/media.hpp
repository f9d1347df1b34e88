/// The medium of a persistent-memory DIMM: ports that are busy with one transfer at a time, and blocks that move after
/// too many writes.
#pragma once
#include <algorithm>

#include "simulate/busy.hpp"
#include "simulate/config.hpp"

namespace tierscope::simulate {

/// The bytes of one write to the medium: 2^shift bytes, a bit of `whole` for each line of the processor in it.
struct Unit {
  unsigned shift;
  std::uint32_t whole;
  /// @throws BadPlan
  static Unit of(const Section& media);
  [[nodiscard]] std::uint64_t bytes() const noexcept { return std::uint64_t{1} << shift; }
  [[nodiscard]] std::uint64_t number(std::uint64_t address) const noexcept { return address >> shift; }
  [[nodiscard]] std::uint64_t address(std::uint64_t number) const noexcept { return number << shift; }
  [[nodiscard]] std::uint32_t bit(std::uint64_t address) const noexcept {
    return 1U << (address / LINE & ((bytes() / LINE) - 1));
  }
};

/// Wear levelling. After `writes` units written to one block of `unit` bytes in excess of those written elsewhere, the
/// block moves. An access to it then waits for `stall`. One candidate is kept, by majority vote (R. S. Boyer, J S.
/// Moore, MJRTY - A Fast Majority Vote Algorithm, 1991): two blocks with equally many writes never move, as the
/// published tails show. Blind to several hot blocks that share the writes.
class Migration {
 public:
  Migration() = default;  // none
  /// `least`: bytes of one write to the medium. @throws BadPlan
  Migration(const Section& section, std::uint64_t seed, std::uint64_t least);
  /// Note that a unit of the medium is written: the block may move from `at` on.
  void wrote(std::uint64_t address, Time at) noexcept;
  /// Return when an access to `address` that arrives at `at` may begin.
  [[nodiscard]] Time clear(std::uint64_t address, Time at) const noexcept {
    return at < until_ && address >> shift_ == moving_ ? until_ : at;
  }
  std::uint64_t moved = 0;

 private:
  void next() noexcept;
  std::uint64_t writes_ = 0, limit_ = 0, votes_ = 0, seed_ = 0, drawn_ = 0;
  std::uint64_t candidate_ = 0, moving_ = 0;  // blocks
  unsigned shift_ = 0;
  Time stall_ = 0, until_ = 0;
  double jitter_ = 0;
};

/// The section [memory.NAME.media]: unit, read, write, interval, overlap, ports. A fetch that waits for a write begins
/// `overlap` before its end, as not all parts of the medium write.
class Media {
 public:
  Media(const Section& section, Migration migration);
  /// Return the start of a fetch that is requested at `at`; its port is then busy for `interval`.
  Time fetch(std::uint64_t address, Time at) noexcept {
    at = migration_.clear(address, at);
    fetches_.take(at, interval_);
    const bool behind_write = written_ != 0 && written_ == ports_.free();
    if (behind_write && at < written_) ports_.release(std::min(overlap_, written_ - at));
    return ports_.take(at, interval_);
  }
  /// Write one unit of the medium, or of a buffer before it, and return the end. Its port is busy for `write`.
  Time put(std::uint64_t address, Time at) noexcept {
    return written_ = ports_.take(migration_.clear(address, at), write_) + write_;
  }
  /// Note that a unit of the medium was written, some time after `at`.
  void wrote(std::uint64_t address, Time at) noexcept {
    ++writes;
    migration_.wrote(address, at);
  }
  [[nodiscard]] Time latency() const noexcept { return read_; }
  [[nodiscard]] Time interval() const noexcept { return interval_; }
  [[nodiscard]] Time write_time() const noexcept { return write_; }
  [[nodiscard]] Time free() const noexcept { return ports_.free(); }
  /// Return the same as if nothing were written.
  [[nodiscard]] Time free_of_fetches() const noexcept { return fetches_.free(); }
  [[nodiscard]] std::uint64_t moved() const noexcept { return migration_.moved; }
  void reset_counters() noexcept { reads = writes = migration_.moved = 0; }
  std::uint64_t reads = 0, writes = 0;  // units of the medium

 private:
  Time read_, write_, interval_, overlap_, written_ = 0;  // written_: end of the last write
  Ports ports_, fetches_;
  Migration migration_;
};

}  // namespace tierscope::simulate
