/// Loads of 8 bytes in the order that `streams.hpp` gives, for a tool that watches them: walk STREAM COUNT FOOTPRINT.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "streams.hpp"

int main(int, char** words) {
  const std::uint64_t footprint = std::strtoull(words[3], nullptr, 10);
  auto* bytes = static_cast<char*>(std::aligned_alloc(4096, footprint));
  std::memset(bytes, 0, footprint);
  std::uint64_t sum = 0;
  stream(words[1], std::strtoull(words[2], nullptr, 10), footprint,
         [&](std::uint64_t at) { sum += *reinterpret_cast<volatile std::uint64_t*>(bytes + at); });
  return std::printf("%llu\n", static_cast<unsigned long long>(sum)) < 0;
}
