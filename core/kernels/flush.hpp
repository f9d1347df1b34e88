/// Stores of blocks, the first `access` bytes of each `element`, and their way to memory: the cost for a program whose
/// bytes must survive.
/// A block is stored line by line, then each of its lines is flushed, then a fence orders all of it. `fence=line` does
/// store, flush and fence for each line, `fence=never` leaves the fence out, `fence=region` waits for all stores behind
/// each region (order=once). The stores are those of a copy from a hot buffer: 16 bytes at a time from registers. The
/// bench ends each timed block with a fence that waits for all stores.
/// Blind to: when a flushed line reaches the medium. A fence waits until the line is in the memory controller's queue,
/// which is defined as persistent (ADR).
/// Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2, CLFLUSH, CLFLUSHOPT, CLWB; Arm,
/// "Arm Architecture Reference Manual for A-profile architecture", DC CVAC, CIVAC, CVAP, CVADP; S. K. Lee, "PM DAX
/// write" (document 002), 2022, for the question.
#pragma once
#include "kernels/blocks.hpp"
#include "kernels/line_stores.hpp"

namespace tierscope::kernels::flush {

using lines::NonTemporal;
using lines::Plain;

/// No line is flushed.
struct Nothing {
  static constexpr bool any = false;
  [[gnu::always_inline]] static void line(std::byte*) noexcept {}
};

/// SFENCE or DSB; a caller that records what survives (tests/core/shadow.cpp) brings its own fence.
template <class FlushLine>
[[gnu::always_inline]] inline void order() noexcept {
  if constexpr (requires { FlushLine::fence(); })
    FlushLine::fence();
  else
    lines::fence_stores();
}

/// Return the bytes of the line that one flush takes, a multiple of LINE: LINE unless the kernel states another.
template <class FlushLine>
[[gnu::always_inline]] inline std::size_t flushed_bytes() noexcept {
  if constexpr (requires { FlushLine::bytes(); })
    return FlushLine::bytes();
  else
    return LINE;
}

/// Call `part(from, to)` for the part of a block in each line of the cache.
template <class FlushLine, class Part>
[[gnu::always_inline]] inline void each_line(std::byte* at, std::size_t size, Part part) noexcept {
  const std::size_t line = flushed_bytes<FlushLine>();
  std::byte* const end = at + size;
  for (std::byte* to = at; to < end;) {
    std::byte* const from = to;
    to = std::min(from + (line - reinterpret_cast<std::uintptr_t>(from) % line), end);
    part(from, to);
  }
}

/// Write one block: all stores, all flushes, one fence; or the three for each line of the cache.
template <class Store, class FlushLine, Fence FENCE>
[[gnu::always_inline]] inline void block(std::byte* at, std::size_t size, std::uint64_t word) noexcept {
  const lines::Part value{word, word};
  const auto store = [&](std::byte* from, const std::byte* to) __attribute__((always_inline)) {
    for (; from < to; from += LINE) Store::put(from, value);
  };
  if constexpr (FENCE == Fence::line) {
    each_line<FlushLine>(at, size, [&](std::byte* from, std::byte* to) __attribute__((always_inline)) {
      store(from, to);
      FlushLine::line(from);
      order<FlushLine>();
    });
  } else {
    store(at, at + size);
    if constexpr (FlushLine::any)
      each_line<FlushLine>(at, size,
                           [](std::byte* from, std::byte*) __attribute__((always_inline)) { FlushLine::line(from); });
    if constexpr (FENCE == Fence::chunk) order<FlushLine>();
  }
}

template <class Store, class FlushLine, Fence FENCE>
inline void walk(Pass& pass) noexcept {
  const auto size = pass.touched();
  const auto put = [&pass, size](std::byte* at) {
    block<Store, FlushLine, FENCE>(at, size, bytes::flush_word(pass.written++));
  };
  blocks::walk(pass, put, [] {
    if constexpr (FENCE == Fence::region) lines::fence_all();
  });
}

/// Choose the kind of fence, once per pass.
template <class Store, class FlushLine>
inline std::uint64_t pass(Pass& pass) noexcept {
  switch (pass.fence) {
    case Fence::chunk:
      walk<Store, FlushLine, Fence::chunk>(pass);
      break;
    case Fence::line:
      walk<Store, FlushLine, Fence::line>(pass);
      break;
    case Fence::never:
      walk<Store, FlushLine, Fence::never>(pass);
      break;
    case Fence::region:
      walk<Store, FlushLine, Fence::region>(pass);
      break;
  }
  return 0;
}

inline constexpr std::string_view MANUAL = lines::MANUAL;

constexpr KernelInfo info_of(std::string_view name, std::string_view summary, Store store, std::string_view needs,
                             Flush flush = Flush::none) noexcept {
  return {.name = name,
          .summary = summary,
          .source = MANUAL,
          .check = Check::recomputed,
          .operands = bytes::WRITTEN,
          .store = store,
          .operation = "block",
          .needs = needs,
          .flushes = true,
          .orders = true,
          .flush = flush};
}

}  // namespace tierscope::kernels::flush
