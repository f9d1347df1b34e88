/// What the kernels on whole byte ranges share: a range per repeat, and scalar code to check them with.
#pragma once
#include <cstring>

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

inline std::uint64_t copy_reference(Pass& pass) noexcept {
  return copy(pass, [](std::byte* to, const std::byte* from, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = from[i];
      asm volatile("" : : : "memory");  // byte by byte: not the library's own memcpy again
    }
  });
}
inline std::uint64_t set_reference(Pass& pass) noexcept {
  return set(pass, [](std::byte* to, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = static_cast<std::byte>(FILL);
      asm volatile("" : : : "memory");
    }
  });
}

inline constexpr std::array<Operand, OPERANDS> COPIED{{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}};
inline constexpr std::array<Operand, OPERANDS> WRITTEN{{{.lines = 1, .stores = true}}};

}  // namespace tierscope::kernels::bytes
