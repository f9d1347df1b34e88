/// The instruction CBO.ZERO of RISC-V, which fills one aligned block with zeros, and the size of that block.
/// Source: RISC-V International, "RISC-V Base Cache Management Operation ISA Extensions", 1.0, Zicboz.
#pragma once
#include <array>
#include <cstddef>

namespace tierscope::cbo {

constexpr std::size_t LARGEST = 4096;  // bytes: a page. Profiles ask for blocks of 64 (Zic64b)

/// Encoded as a number, because assemblers of 2022 do not know its name.
inline void zero(void* at) noexcept { asm volatile(".insn i 0x0f, 2, x0, %0, 4" : : "r"(at) : "memory"); }

/// Returns the bytes of a block, by experiment: CBO.ZERO on a page full of ones. The instruction must run here.
inline std::size_t block_bytes() noexcept {
  static const std::size_t seen = [] {
    alignas(LARGEST) std::array<std::byte, LARGEST> page;
    page.fill(std::byte{1});
    zero(page.data());
    std::size_t zeros = 0;
    while (zeros < page.size() && page[zeros] == std::byte{0}) ++zeros;
    return zeros;
  }();
  return seen;
}

}  // namespace tierscope::cbo
