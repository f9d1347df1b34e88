/// The prefetches of one cache. It watches misses and the first use of what it fetched. It never leaves the page of 4
/// KiB, since the next page may not be mapped.
///   next-line: on a miss, the line after it.
///   stride: after two equal strides within a page, up to `depth` strides ahead. It keeps 16 pages and replaces the
///   least recently used one.
/// In addition to any of these, `pair`: on a miss, the other line of its pair of lines.
/// Source: T.-F. Chen, J.-L. Baer, "Effective Hardware-Based Data Prefetching for High-Performance Processors", IEEE
/// Transactions on Computers 44(5), 1995; kept by page instead of by instruction, as the streamer of Intel 64 and IA-32
/// Architectures Optimization Reference Manual.
#pragma once
#include <algorithm>
#include <array>

#include "simulate/access.hpp"

namespace tierscope::simulate {

enum class Prefetch : std::uint8_t { none, next_line, stride };

class Prefetcher {
 public:
  /// `line`: bytes of a line; a page has fewer lines the longer they are.
  explicit Prefetcher(Prefetch kind, unsigned depth, std::uint64_t line = LINE, bool pair = false) noexcept
      : kind_(kind), pair_(pair), depth_(depth), page_(PAGE / line * LINE), lines_(static_cast<int>(PAGE / line)) {}

  /// Return whether another one fetches the same lines after the same accesses.
  [[nodiscard]] bool like(const Prefetcher& other) const noexcept {
    return kind_ == other.kind_ && pair_ == other.pair_ && depth_ == other.depth_ && page_ == other.page_;
  }
  /// Call `fetch(line)` for each line to prefetch; `line` is its number times 64.
  template <class Fetch>
  void observe(std::uint64_t line, bool missed, Fetch fetch) {
    const auto page = line / page_;
    const auto place = static_cast<int>(line % page_ / LINE);
    if (pair_ && missed) fetch(line ^ LINE);
    if (kind_ == Prefetch::none) return;
    if (kind_ == Prefetch::next_line) {
      if (missed && place + 1 < lines_) fetch(line + LINE);
      return;
    }
    auto& stream = of(page, place);
    if (!follows(stream, place)) return;
    const int stop = place + stream.stride * static_cast<int>(depth_);
    // `ahead` may be behind the place where the stream was overtaken by its own lines
    const bool up = stream.stride > 0;
    int next = (up ? std::max(stream.ahead, place) : std::min(stream.ahead, place)) + stream.stride;
    for (; (up ? next <= stop : next >= stop) && next >= 0 && next < lines_; next += stream.stride) {
      stream.ahead = next;
      fetch(page * page_ + static_cast<std::uint64_t>(next) * LINE);
    }
  }

 private:
  static constexpr std::uint64_t PAGE = 4096;
  struct Stream {
    std::uint64_t page = ~std::uint64_t{0}, used = 0;
    int last = 0, stride = 0, equal = 0, ahead = 0;
  };

  /// Return the stream of the page; a new one that begins at `place` if there is none.
  Stream& of(std::uint64_t page, int place) noexcept {
    Stream* oldest = streams_.data();
    ++clock_;
    for (auto& stream : streams_) {
      if (stream.page == page) {
        stream.used = clock_;
        return stream;
      }
      if (stream.used < oldest->used) oldest = &stream;
    }
    *oldest = {.page = page, .used = clock_, .last = place, .ahead = place};
    return *oldest;
  }
  /// Return whether `place` makes the second equal stride, or one more.
  static bool follows(Stream& stream, int place) noexcept {
    const int stride = place - stream.last;
    if (stride == 0) return false;
    if (stride != stream.stride) {
      stream.stride = stride;
      stream.equal = 0;
      stream.ahead = place;
    }
    stream.last = place;
    return ++stream.equal >= 2;
  }

  Prefetch kind_;
  bool pair_;
  unsigned depth_;
  std::uint64_t page_;  // bytes of a page in numbers times 64
  int lines_;           // lines of a page
  std::uint64_t clock_ = 0;
  std::array<Stream, 16> streams_{};
};

}  // namespace tierscope::simulate
