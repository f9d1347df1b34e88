#include "recorded/recorder.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <vector>

namespace tierscope::recorded {
namespace {

constexpr std::uint64_t HUGE = 2U << 20U;                        // pools begin at large pages
constexpr std::uint64_t HEAP = std::uint64_t{1} << 45U;          // place of the heap, behind all pools
constexpr std::uint64_t HEAP_BYTES = std::uint64_t{1} << 42U;    // at most
constexpr std::uint64_t MAPPINGS = std::uint64_t{1} << 46U;      // place of what malloc maps beside the heap
constexpr std::uintptr_t STACK_BELOW = 8U << 20U, STACK_ABOVE = 8U << 20U;  // of the frame that begins

extern "C" const char __executable_start, _end;  // of the linker: the program's own image

/// Memory beside the heap, so that what is noted does not move what is measured.
template <class T>
struct Mapped {
  using value_type = T;
  T* allocate(std::size_t number) {
    void* const at =
        mmap(nullptr, number * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t number) noexcept { munmap(at, number * sizeof(T)); }
};

struct Pool {
  std::uintptr_t at;
  std::size_t size;
  std::uint64_t place;
};

struct State {
  bool on = false;
  Where where = Where::pools;
  std::uintptr_t aside = 0, aside_bytes = 0, heap = 0, frame = 0;
  std::uint64_t next = 0;
  std::vector<Pool, Mapped<Pool>> pools;
  std::vector<Event, Mapped<Event>> events;
};

State& state() noexcept {
  static State its;
  return its;
}

/// The heap's first byte: the system draws it anew in each run.
std::uintptr_t start_of_heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with("[heap]")) return std::stoull(line, nullptr, 16);
  return 0;
}

/// All of malloc's memory in the heap, none of it given back: so a place follows from the calls before alone.
const struct Settled {
  Settled() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
  }
} settled;

constexpr std::uint64_t NOWHERE = ~std::uint64_t{0};

std::uint64_t place_in_pools(const State& its, std::uintptr_t at) noexcept {
  for (const auto& pool : its.pools)
    if (at - pool.at < pool.size) return pool.place + (at - pool.at);
  return NOWHERE;
}

std::uint64_t place_in_heap(const State& its, std::uintptr_t at) noexcept {
  const auto address = [](const char& of) { return reinterpret_cast<std::uintptr_t>(&of); };
  if (at - its.aside < its.aside_bytes || at - (its.frame - STACK_BELOW) < STACK_BELOW + STACK_ABOVE) return NOWHERE;
  if (at - address(__executable_start) < address(_end) - address(__executable_start)) return NOWHERE;
  if (its.heap != 0 && at - its.heap < HEAP_BYTES) return HEAP + (at - its.heap);
  return MAPPINGS + (at & (HEAP - 1));
}

}  // namespace

std::string lacking() { return ""; }

void forget() noexcept { state().next = 0; }

void begin(Where where, std::span<const std::byte> aside) noexcept {
  auto& its = state();
  if (its.heap == 0) its.heap = start_of_heap();
  its.where = where;
  its.aside = reinterpret_cast<std::uintptr_t>(aside.data());
  its.aside_bytes = aside.size();
  its.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  its.events.clear();
  its.on = true;
}

std::span<const Event> end() noexcept {
  state().on = false;
  return state().events;
}

void note(What what, const void* at, std::size_t size, bool library) noexcept {
  auto& its = state();
  if (!its.on || (size == 0 && what != What::fence)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto place = what == What::fence           ? 0
                     : its.where == Where::pools ? place_in_pools(its, address)
                                                 : place_in_heap(its, address);
  if (place == NOWHERE) return;
  its.on = false;  // what grows the list has hooks of its own
  its.events.push_back({place, size, what, library});
  its.on = true;
}

void opened(const void* pool, std::size_t size) {
  auto& its = state();
  its.pools.push_back({reinterpret_cast<std::uintptr_t>(pool), size, its.next});
  its.next += (size + HUGE - 1) / HUGE * HUGE;
}

void closed(const void* pool) noexcept {
  std::erase_if(state().pools, [=](const Pool& one) { return one.at == reinterpret_cast<std::uintptr_t>(pool); });
}

}  // namespace tierscope::recorded
