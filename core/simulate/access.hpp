/// The basic types of a simulated memory: times, accesses of one cache line, counters.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace tierscope::simulate {

/// Picoseconds of virtual time: 2^63 of them are 106 days.
using Time = std::int64_t;
constexpr double TICKS_PER_S = 1e12;
constexpr Time NEVER = INT64_MAX / 4;

/// Bytes that a memory takes or returns in one transfer. A cache line has this size or a multiple of it (lines.hpp).
constexpr std::uint64_t LINE = 64;
/// The bits of an address from this one up are the number of its memory: each memory has 256 TiB of addresses.
constexpr unsigned MEMORY_BIT = 48;

enum class Kind : std::uint8_t { load, store, store_nt, prefetch, clflush, clflushopt, clwb, sfence, mfence };

/// The access of a thread to one line. `waits`: its address comes from the load before, so it starts when that load
/// ends.
struct Access {
  std::uint64_t address = 0;
  Kind kind = Kind::load;
  bool waits = false;
};

/// "L1d.loads", "pmem.media_reads": events since the last reset.
using Counters = std::map<std::string, std::uint64_t>;

}  // namespace tierscope::simulate
