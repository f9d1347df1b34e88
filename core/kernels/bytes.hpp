/// Shared parts of the kernels on whole byte ranges: a range per repeat, and scalar code that checks them.
#pragma once
#include <cstring>

#include "base/random.hpp"
#include "kernels/kernel.hpp"

namespace tierscope::kernels::bytes {

constexpr int FILL = 0x5A;  // the byte that the set kernels write: not zero, so no page of zeros is shared

template <class Move>
[[gnu::always_inline]] inline std::uint64_t copy(Pass& pass, Move move) noexcept {
  const auto size = (pass.end - pass.begin) * LINE;
  for (std::uint64_t r = 0; r < pass.repeats; ++r)
    move(pass.operand[0] + pass.begin * LINE, pass.operand[1] + pass.begin * LINE, size);
  return 0;
}

template <class Set>
[[gnu::always_inline]] inline std::uint64_t set(Pass& pass, Set set_bytes) noexcept {
  const auto size = (pass.end - pass.begin) * LINE;
  for (std::uint64_t r = 0; r < pass.repeats; ++r) set_bytes(pass.operand[0] + pass.begin * LINE, size);
  return 0;
}

/// Return the sum of what `sum(from, size)` returns.
template <class Sum>
[[gnu::always_inline]] inline std::uint64_t read(Pass& pass, Sum sum) noexcept {
  const auto size = (pass.end - pass.begin) * LINE;
  std::uint64_t all = 0;
  for (std::uint64_t r = 0; r < pass.repeats; ++r) all += sum(pass.operand[0] + pass.begin * LINE, size);
  return all;
}

/// Make the calls of a kernel on blocks of `element` bytes.
template <class Move>
[[gnu::always_inline]] inline std::uint64_t copy_blocks(Pass& pass, Move move) noexcept {
  const auto size = pass.element;
  for (std::uint64_t r = 0; r < pass.repeats; ++r)
    for (auto block = pass.begin; block < pass.end; ++block)
      move(pass.operand[0] + block * size, pass.operand[1] + block * size, size);
  return 0;
}
template <class Set>
[[gnu::always_inline]] inline std::uint64_t set_blocks(Pass& pass, Set set_bytes) noexcept {
  const auto size = pass.element;
  for (std::uint64_t r = 0; r < pass.repeats; ++r)
    for (auto block = pass.begin; block < pass.end; ++block) set_bytes(pass.operand[0] + block * size, size);
  return 0;
}
/// Return a size that the compiler cannot know: the call stays a call.
[[gnu::always_inline]] inline std::size_t hidden(std::size_t size) noexcept {
  asm("" : "+r"(size));
  return size;
}

/// Draws of blocks: a linear congruence modulo 2^64, and back. FACTOR * BACK = 1.
constexpr std::uint64_t FACTOR = 0xD1342543DE82EF95U, STEP = 0x9E3779B97F4A7C15U, BACK = 0x572B5EE77A54E3BDU;
static_assert(FACTOR * BACK == 1);
constexpr std::uint64_t next_draw(std::uint64_t state) noexcept { return state * FACTOR + STEP; }
constexpr std::uint64_t previous_draw(std::uint64_t state) noexcept { return (state - STEP) * BACK; }
/// The high half of state * blocks: uniform without a division.
constexpr std::uint64_t drawn(std::uint64_t state, std::uint64_t blocks) noexcept {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(state) * blocks) >> 64U);
}

/// Return the content of each 8 bytes of the n-th block that a thread stores to be flushed; it differs for every block.
constexpr std::uint64_t flush_word(std::uint64_t number) noexcept { return mixed(number); }

/// Copy byte by byte, without the library's own code.
inline void copy_bytewise(std::byte* to, const std::byte* from, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    to[i] = from[i];
    asm volatile("" : : : "memory");
  }
}
inline void set_bytewise(std::byte* to, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    to[i] = static_cast<std::byte>(FILL);
    asm volatile("" : : : "memory");
  }
}

inline std::uint64_t copy_reference(Pass& pass) noexcept { return copy(pass, copy_bytewise); }
inline std::uint64_t set_reference(Pass& pass) noexcept { return set(pass, set_bytewise); }

inline constexpr std::array<Operand, OPERANDS> COPIED{{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}};
inline std::uint64_t read_reference(Pass& pass) noexcept {
  return read(pass, [](const std::byte* from, std::size_t size) {
    std::uint64_t sum = 0, word = 0;
    for (std::size_t i = 0; i < size; i += sizeof word) {
      std::memcpy(&word, from + i, sizeof word);
      sum += word;
    }
    return sum;
  });
}

inline constexpr std::array<Operand, OPERANDS> READ{{{.lines = 1, .loads = true}}};
inline constexpr std::array<Operand, OPERANDS> WRITTEN{{{.lines = 1, .stores = true}}};

}  // namespace tierscope::kernels::bytes
