/// Lines that operations touched, added up: an operation counts a line once as read and once as written, and each time
/// that it is written back.
#pragma once
#include <cstdint>

namespace tierscope {

struct LineCounts {
  std::uint64_t read = 0, written = 0;
  std::uint64_t flushed = 0;  // by an instruction, or by a store past the caches
  std::uint64_t fences = 0;
  LineCounts& operator+=(const LineCounts& other) noexcept {
    read += other.read;
    written += other.written;
    flushed += other.flushed;
    fences += other.fences;
    return *this;
  }
};

}  // namespace tierscope
