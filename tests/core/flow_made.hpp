/// An instruction of a traced program, made by hand.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/flow.hpp"

namespace tierscope::tests {

/// @param address  registers of its address; data: others that it reads; writes: those that it writes
inline simulate::flow::Instruction made(simulate::flow::Class kind, const std::vector<std::uint8_t>& address,
                                        const std::vector<std::uint8_t>& data,
                                        const std::vector<std::uint8_t>& writes) {
  simulate::flow::Instruction one{};
  one.address = 0x1000;
  one.length = 4;
  one.kind = kind;
  one.address_registers.fill(simulate::flow::NO_REGISTER);
  one.data_registers.fill(simulate::flow::NO_REGISTER);
  one.written.fill(simulate::flow::NO_REGISTER);
  std::ranges::copy(address, one.address_registers.begin());
  std::ranges::copy(data, one.data_registers.begin());
  std::ranges::copy(writes, one.written.begin());
  return one;
}

}  // namespace tierscope::tests
