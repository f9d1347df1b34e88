/// The simulated caches alone, over a memory without structure: hierarchy CONFIG STREAM COUNT FOOTPRINT, or
/// hierarchy CONFIG trace FILE with 8 bytes for each access, as touch.hpp has them. The last argument is `count`, or
/// `time` to compute the times of accesses, too. Prints the accesses, the CPU seconds that they took (with the making
/// of the stream), and a sum over the counters, which is the same for both.
#include <array>
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

std::vector<Touch> load(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<Touch> words(static_cast<std::size_t>(file.tellg()) / 8);
  file.seekg(0).read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 8));
  return words;
}

/// Accesses one after the other: each begins when the one before it ended.
template <class Stream>
void timed(Caches& caches, Stream stream) {
  Time at = 0;
  stream(
      [&](std::uint64_t address, bool store) { at = caches.access(0, address, store ? Kind::store : Kind::load, at); });
}

/// Accesses in batches that fit the nearest cache.
template <class Stream>
void counted(Caches& caches, Stream stream) {
  std::array<Touch, 1024> touches;
  std::size_t held = 0;
  stream([&](std::uint64_t address, bool store) {
    touches[held++] = load_of(address) | store * STORE;
    if (held < touches.size()) return;
    caches.touch(0, touches);
    held = 0;
  });
  caches.touch(0, {touches.data(), held});
}

std::uint64_t sum_of(const Caches& caches) {
  Counters counters;
  caches.count(counters);
  std::uint64_t sum = 0;
  for (const auto& [name, value] : counters) sum = sum * 31 + value;
  return sum;
}

/// stream(visit), visit(address, is a store).
template <class Stream>
double seconds_of(Caches& caches, bool times, Stream stream) {
  const std::clock_t start = std::clock();
  if (times) {
    timed(caches, stream);
  } else {
    counted(caches, stream);
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double replay(Caches& caches, bool times, const std::vector<Touch>& accesses) {
  const std::clock_t start = std::clock();
  if (times) {
    timed(caches, [&](auto visit) {
      for (const auto touch : accesses) visit(touch & ADDRESS, (touch & STORE) != 0);
    });
  } else {
    caches.touch(0, accesses);
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double walk(Caches& caches, bool times, const char* name, std::uint64_t count, std::uint64_t footprint) {
  return seconds_of(caches, times, [&](auto visit) {
    stream(name, count, footprint, [&](std::uint64_t offset) { visit(offset, false); });
  });
}

}  // namespace

int main(int argc, char** words) {
  Flat memory;
  Caches caches(read_config(words[1]).sections("cache"), 1, 1, memory);
  const bool times = std::string(words[argc - 1]) == "time", trace = std::string(words[2]) == "trace";
  const auto accesses = trace ? load(words[3]) : std::vector<Touch>{};
  const std::uint64_t count = trace ? accesses.size() : std::strtoull(words[3], nullptr, 10);
  const double seconds = trace ? replay(caches, times, accesses)
                               : walk(caches, times, words[2], count, std::strtoull(words[4], nullptr, 10));
  return std::printf("%llu %.6f %016llx\n", static_cast<unsigned long long>(count), seconds,
                     static_cast<unsigned long long>(sum_of(caches))) < 0;
}
