#include "bench/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tierscope {

double difference(const std::byte* left, const std::byte* right, std::size_t size_bytes) {
  if (std::memcmp(left, right, size_bytes) == 0) return 0;
  double largest = 0;
  for (std::size_t i = 0; i < size_bytes; i += 8) {
    double a = 0, b = 0;
    std::memcpy(&a, left + i, 8);
    std::memcpy(&b, right + i, 8);
    if (std::memcmp(left + i, right + i, 8) == 0) continue;
    const double relative = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
    if (!std::isfinite(relative)) return WRONG;
    largest = std::max(largest, relative);
  }
  return largest;
}

}  // namespace tierscope
