/// Write streaming: a thread that stores line after line stops reading each line first. Its stores then pass the caches
/// by, as long as they continue the stream.
///
/// A stream is a sequence of stores of whole lines, each behind the one before. A thread has up to STREAMS of them, so
/// that a kernel may store to several arrays. A store elsewhere begins another stream, which reads again at first.
/// Blind to: streams of stores within a line, and to stages that pass by one level of caches alone.
/// Source: Arm, "Neoverse N1 Core Technical Reference Manual", write streaming mode; J. Laukemann and others,
/// "CloverLeaf on Intel Multi-Core CPUs: A Case Study in Write-Allocate Evasion", 2023, for SpecI2M.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulate/access.hpp"

namespace tierscope::simulate {

class StoreStreams {
 public:
  /// after: lines of a stream that are read first; 0: all are
  explicit StoreStreams(std::uint64_t after) noexcept : after_(after) {}
  /// Return the kind of a store of 64 bytes as the caches meet it.
  [[nodiscard]] Kind kind_of(std::uint64_t address) noexcept {
    if (after_ == 0) return Kind::store;
    for (auto& stream : streams_) {
      if (address != stream.next) continue;
      stream.next += LINE;
      return ++stream.lines > after_ ? Kind::store_nt : Kind::store;
    }
    streams_[oldest_] = {.next = address + LINE, .lines = 1};
    oldest_ = (oldest_ + 1) % STREAMS;
    return Kind::store;
  }

 private:
  static constexpr std::size_t STREAMS = 8;
  struct Stream {
    std::uint64_t next = ~std::uint64_t{0};
    std::uint64_t lines = 0;
  };
  std::uint64_t after_;
  std::array<Stream, STREAMS> streams_{};
  std::size_t oldest_ = 0;
};

}  // namespace tierscope::simulate
