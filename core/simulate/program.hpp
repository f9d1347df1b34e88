/// Addresses of a traced program in a simulated machine: the lines that an access covers, and their addresses.
#pragma once
#include "simulate/access.hpp"

namespace tierscope::simulate {

/// Return the address of the line with this byte, in the memory whose addresses begin at `base`. Only the lower 47 bits
/// of a program's address are used: the page tables are above.
constexpr std::uint64_t program_line(std::uint64_t base, std::uint64_t address) noexcept {
  constexpr std::uint64_t PROGRAM = (std::uint64_t{1} << (MEMORY_BIT - 1)) - 1;
  return base + (address / LINE * LINE & PROGRAM);
}

/// Return whether `bytes` bytes at `address` are in one line.
constexpr bool in_one_line(std::uint64_t address, std::uint64_t bytes) noexcept {
  return address / LINE == (address + bytes - 1) / LINE;
}

/// Call visit(address of a line) for each line of `bytes` bytes at `address`.
template <class Visit>
void each_program_line(std::uint64_t base, std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
  const auto last = (address + bytes - 1) / LINE;
  for (auto line = address / LINE; line <= last; ++line) visit(program_line(base, line * LINE));
}

}  // namespace tierscope::simulate
