/// The simulated persistent-memory DIMM alone: dimm CONFIG STREAM COUNT FOOTPRINT, a STREAM of streams.hpp in steps of
/// a line. The second letter of STREAM is r for reads, w for writes. The third is the number in flight: 1, 8, or m for
/// 512, a thread each on many CPUs, so that they queue at the port. CONFIG: a file with a table [memory.NAME]; the
/// first is taken. Prints the lines and the CPU seconds they took.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "simulate/interleave.hpp"
#include "simulate/presets.hpp"
#include "streams.hpp"

namespace tierscope::simulate {
const std::span<const PresetText> PRESETS{};
}

using namespace tierscope::simulate;

int main(int, char** words) {
  const auto memory = make_memory_of(read_config(words[1]).sections("memory").front(), 1);
  const std::uint64_t count = std::strtoull(words[3], nullptr, 10), lines = std::strtoull(words[4], nullptr, 10) / LINE;
  const bool writes = words[2][1] == 'w';
  std::vector<Time> under_way(words[2][2] == 'm' ? 512 : words[2][2] == '8' ? 8 : 1);
  std::size_t next = 0;
  Time at = 0;
  const std::clock_t start = std::clock();
  stream(words[2], count, lines * 8, [&](std::uint64_t offset) {
    const std::uint64_t address = offset / 8 * LINE;
    at = std::max(at + 250, under_way[next]);
    under_way[next] = writes ? memory->write(address, at) : memory->read(address, at);
    if (++next == under_way.size()) next = 0;
  });
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return std::printf("%llu %.6f %lld\n", static_cast<unsigned long long>(count), seconds, static_cast<long long>(at)) <
         0;
}
