#include "recorded/recorder.hpp"

#include <sys/mman.h>

#include <new>
#include <vector>

#include "recorded/heap.hpp"

namespace tierscope::recorded {
namespace {

constexpr std::uint64_t HUGE = 2U << 20U;                 // pools begin at large pages
constexpr std::uint64_t HEAPS = std::uint64_t{1} << 46U;  // place of the heaps, behind all pools

/// Memory beside all that is recorded, so that what is noted does not move what is measured.
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
  std::uint64_t next = 0;
  std::vector<Pool, Mapped<Pool>> pools;
  std::vector<Event, Mapped<Event>> events;
};

State& state() noexcept {
  static State its;
  return its;
}

constexpr std::uint64_t NOWHERE = ~std::uint64_t{0};

std::uint64_t place_of(const State& its, std::uintptr_t at) noexcept {
  for (const auto& pool : its.pools)
    if (at - pool.at < pool.size) return pool.place + (at - pool.at);
  const auto in_heaps = heap::place(at);
  return in_heaps == heap::NOWHERE ? NOWHERE : HEAPS + in_heaps;
}

}  // namespace

std::string lacking() { return ""; }

void forget() noexcept { state().next = 0; }
void use_heap(unsigned number) { heap::use(number); }
void leave_heap() noexcept { heap::leave(); }

void begin() noexcept {
  state().events.clear();
  state().on = true;
}

std::span<const Event> end() noexcept {
  state().on = false;
  return state().events;
}

void note(What what, const void* at, std::size_t size, bool library) noexcept {
  auto& its = state();
  if (!its.on || (size == 0 && what != What::fence)) return;
  const auto place = what == What::fence ? 0 : place_of(its, reinterpret_cast<std::uintptr_t>(at));
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
