/// The simulated caches alone, over a memory without structure: hierarchy CONFIG STREAM COUNT FOOTPRINT, or
/// hierarchy CONFIG trace FILE with 8 bytes for each access: its address, the highest bit set for a store.
/// Prints the accesses and the CPU seconds that they took.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "simulate/caches.hpp"
#include "simulate/presets.hpp"
#include "streams.hpp"

namespace tierscope::simulate {
const std::span<const PresetText> PRESETS{};
}

using namespace tierscope::simulate;

namespace {

struct Flat final : Memory {
  Time read(std::uint64_t, Time at) override { return at + 80'000; }
  Time write(std::uint64_t, Time at) override { return at; }
  void count(const std::string&, Counters&) const override {}
  void reset_counters() override {}
};

std::vector<std::uint64_t> load(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(file.tellg()) / 8);
  file.seekg(0).read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 8));
  return words;
}

}  // namespace

int main(int, char** words) {
  Flat memory;
  Caches caches(read_config(words[1]).sections("cache"), 1, 1, memory);
  const bool trace = std::string(words[2]) == "trace";
  const auto accesses = trace ? load(words[3]) : std::vector<std::uint64_t>{};
  const std::uint64_t count = trace ? accesses.size() : std::strtoull(words[3], nullptr, 10);
  constexpr std::uint64_t STORE = std::uint64_t{1} << 63U;
  Time at = 0;
  const std::clock_t start = std::clock();
  if (trace) {
    for (const auto word : accesses)
      at = caches.access(0, word & ~STORE, (word & STORE) != 0 ? Kind::store : Kind::load, at);
  } else {
    stream(words[2], count, std::strtoull(words[4], nullptr, 10),
           [&](std::uint64_t offset) { at = caches.access(0, offset, Kind::load, at); });
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return std::printf("%llu %.6f %lld\n", static_cast<unsigned long long>(count), seconds, static_cast<long long>(at)) <
         0;
}
