/// Flushes of lines that are longer than what a kernel stores at a time: each line once, wherever a block begins.
#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "kernels/flush.hpp"

using namespace tierscope::kernels;

namespace {

/// Keeps which lines were flushed and how often the fence came.
template <std::size_t BYTES>
struct Kept {
  static constexpr bool any = true;
  static inline std::vector<std::uintptr_t> lines;
  static inline int fences = 0;
  static std::size_t bytes() noexcept { return BYTES; }
  static void line(std::byte* at) noexcept { lines.push_back(reinterpret_cast<std::uintptr_t>(at) / BYTES); }
  static void fence() noexcept { ++fences; }
};

/// Blocks of `size` bytes from each multiple of LINE in one line of the cache on.
template <std::size_t BYTES>
void check_blocks(std::size_t size) {
  alignas(256) std::byte memory[2048];
  for (std::size_t start = 0; start < BYTES; start += LINE) {
    for (const auto fence : {Fence::chunk, Fence::line}) {
      std::fill(std::begin(memory), std::end(memory), std::byte{0});
      Kept<BYTES>::lines.clear();
      Kept<BYTES>::fences = 0;
      auto* const at = memory + start;
      if (fence == Fence::line)
        flush::block<flush::Plain, Kept<BYTES>, Fence::line>(at, size, 0x0101010101010101U);
      else
        flush::block<flush::Plain, Kept<BYTES>, Fence::chunk>(at, size, 0x0101010101010101U);
      std::vector<std::uintptr_t> expected;
      const auto first = reinterpret_cast<std::uintptr_t>(at);
      for (auto line = first / BYTES; line <= (first + size - 1) / BYTES; ++line) expected.push_back(line);
      CHECK(Kept<BYTES>::lines == expected);
      CHECK(Kept<BYTES>::fences == (fence == Fence::line ? static_cast<int>(expected.size()) : 1));
      for (std::size_t i = 0; i < sizeof memory; ++i)
        if (memory[i] != std::byte{i >= start && i < start + size}) FAIL("byte ", i);
    }
  }
}

}  // namespace

TEST_CASE("a block flushes each line of the cache that contains it once, and stores no other byte") {
  for (const std::size_t size : {64U, 128U, 192U, 256U, 640U, 1024U}) {
    CAPTURE(size);
    check_blocks<64>(size);
    check_blocks<128>(size);
    check_blocks<256>(size);
  }
}
