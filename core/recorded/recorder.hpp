/// Records what the code of structures loads, stores, flushes and waits for. It is only in tierscope-core-traced, whose
/// structures are compiled with the hooks of -fsanitize=thread (docs/decisions/0017-structures-on-simulated-memory.md).
/// Only accesses to a pool or to a heap of this recorder are noted, by their place: the same in each run, wherever the
/// system put it. It records one thread. The same hooks
/// make loads of an emulated tier wait (recorded/delays.hpp), on any number of threads. Blind to: what libpmemobj loads
/// by itself, and its volatile state; the books of the allocator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tierscope::recorded {

enum class What : std::uint8_t { load, store, store_nt, flush, fence };

struct Event {
  std::uint64_t place = 0;  // of the first byte
  std::uint32_t size = 0;   // bytes; 0 of a fence
  What what = What::load;
  bool library = false;  // libpmemobj's own doing, not the structure's
};

/// "" or why this executable cannot.
std::string lacking();
/// The next pool begins where the first one did. @pre no pool is open
void forget() noexcept;
/// Record from here to `end`.
void begin() noexcept;
/// Valid until the next `begin`. Loads of one line that follow each other are one event, as are stores.
/// @throws Unsupported where memory was too scarce for all of them
std::span<const Event> end();
/// Record an access of code that is compiled without hooks; does nothing outside of begin and end.
void note(What what, const void* at, std::size_t size, bool library = false) noexcept;
/// From here to `leave_heap` memory is taken in a heap of its own, whose addresses follow from the calls alone: that of
/// one structure in volatile memory. @throws SystemError
void use_heap(unsigned number);
void leave_heap() noexcept;
/// A pool that was mapped, or is about to go: by one thread at a time, while no other one loads.
void opened(const void* pool, std::size_t size);
void closed(const void* pool) noexcept;
[[nodiscard]] bool in_pool(std::uintptr_t at) noexcept;

}  // namespace tierscope::recorded
