/// What the code of structures loads, stores, flushes and waits for while it runs: in tierscope-core-traced alone, whose
/// structures are compiled with the hooks of -fsanitize=thread (docs/decisions/0017-structures-on-simulated-memory.md).
/// Addresses become places: the same in each run, wherever the system put the pool or the heap. Of one thread.
/// Blind to: what libpmemobj loads by itself, and its volatile state; malloc's own books.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tierscope::recorded {

enum class What : std::uint8_t { load, store, store_nt, flush, fence };

struct Event {
  std::uint64_t place = 0;  // of the first byte
  std::uint64_t size = 0;   // bytes; 0 of a fence
  What what = What::load;
  bool library = false;  // libpmemobj's own doing, not the structure's
};

/// Where the structure lives that is recorded: accesses elsewhere are left out.
enum class Where : std::uint8_t { pools, heap };

/// "" or why this executable cannot.
std::string lacking();
/// The next pool lies where the first one did. @pre no pool is open
void forget() noexcept;
/// From here to `end`. `aside`: bytes of the caller, which are no part of the structure.
void begin(Where where, std::span<const std::byte> aside) noexcept;
/// Valid until the next `begin`.
std::span<const Event> end() noexcept;
/// Of code that is compiled without hooks: nothing outside of begin and end.
void note(What what, const void* at, std::size_t size, bool library = false) noexcept;
/// A pool that was mapped, or is about to go.
void opened(const void* pool, std::size_t size);
void closed(const void* pool) noexcept;

}  // namespace tierscope::recorded
