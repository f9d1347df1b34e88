/// Instructions of a simulated loop, in the form that a trace gives them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "simulate/flow.hpp"

namespace tierscope {

/// Where the code of a simulated loop begins: an address without data.
constexpr std::uint64_t SIMULATED_CODE = std::uint64_t{1} << 46U;

using Registers = std::initializer_list<std::uint8_t>;

/// An instruction without accesses. addresses, data: the registers that it reads.
inline simulate::flow::Instruction instruction(std::uint64_t address, std::uint8_t length, simulate::flow::Class kind,
                                               Registers addresses, Registers data, Registers written) {
  simulate::flow::Instruction one{};
  one.address = address;
  one.length = length;
  one.kind = kind;
  one.address_registers.fill(simulate::flow::NO_REGISTER);
  one.data_registers.fill(simulate::flow::NO_REGISTER);
  one.written.fill(simulate::flow::NO_REGISTER);
  std::ranges::copy(addresses, one.address_registers.begin());
  std::ranges::copy(data, one.data_registers.begin());
  std::ranges::copy(written, one.written.begin());
  return one;
}

}  // namespace tierscope
