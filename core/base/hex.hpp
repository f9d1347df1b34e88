/// Formats a number as 0x1f.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tierscope {

inline std::string hex(std::uint64_t value) {
  constexpr std::string_view DIGITS = "0123456789abcdef";
  std::string out;
  for (; value > 0; value >>= 4U) out.insert(out.begin(), DIGITS[value & 0xFU]);
  return "0x" + (out.empty() ? "0" : out);
}

}  // namespace tierscope
