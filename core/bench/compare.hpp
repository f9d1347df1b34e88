/// Helpers of all checks of an answer: how much of a slice they check, and how far two ranges of bytes differ.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/kernel.hpp"

namespace tierscope {

constexpr std::uint64_t WINDOWS = 64;             // of each member, evenly spread
constexpr std::uint64_t WINDOW_OPERATIONS = 512;  // 32 KiB of each operand: all windows check in some 10 ms
constexpr double WRONG = std::numeric_limits<double>::infinity();

struct alignas(kernels::LINE) CacheLine {
  std::byte bytes[kernels::LINE];
};

/// Returns the largest relative difference of two ranges of doubles; infinity if a number is not finite.
double difference(const std::byte* left, const std::byte* right, std::size_t size_bytes);

}  // namespace tierscope
