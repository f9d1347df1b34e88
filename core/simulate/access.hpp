/// The words of a simulated memory: times, accesses of one cache line, what is counted.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace tierscope::simulate {

/// Picoseconds of virtual time: 2^63 of them are 106 days.
using Time = std::int64_t;
constexpr double TICKS_PER_S = 1e12;
constexpr Time NEVER = INT64_MAX / 4;

/// Bytes that a memory takes or gives at once. Lines of caches are this or a multiple (lines.hpp).
constexpr std::uint64_t LINE = 64;
/// The memory that an address lies in is its number above this bit: each has 256 TiB of addresses of its own.
constexpr unsigned MEMORY_BIT = 48;

enum class Kind : std::uint8_t { load, store, store_nt, prefetch, clflush, clflushopt, clwb, sfence, mfence };

/// What a thread does to one line. `waits`: its address comes out of the load before, so it starts when that ends.
struct Access {
  std::uint64_t address = 0;
  Kind kind = Kind::load;
  bool waits = false;
};

/// "L1d.loads", "pmem.media_reads": events since the last reset.
using Counters = std::map<std::string, std::uint64_t>;

}  // namespace tierscope::simulate
