#include "recorded/recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "recorded/delays.hpp"
#include "recorded/heap.hpp"

namespace tierscope::recorded {
namespace {

constexpr std::uint64_t HUGE = 2U << 20U;                 // pools begin at large pages
constexpr std::uint64_t LINE = 64;                        // bytes
constexpr std::uint64_t HEAPS = std::uint64_t{1} << 46U;  // place of the heaps, behind all pools

/// Memory apart from all that is recorded, so that recording does not move what is measured.
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

/// Outside of State: in a static program the C library copies memory before State can be made. Hooks ask this first.
constinit bool on = false;

/// The same for loads that wait: threads have no variables of their own either while a static program starts.
constinit std::atomic<unsigned> delaying{0};
constinit thread_local Delays* delays = nullptr;  // of this thread, or null

struct State {
  bool lost = false;  // an event, for which there was no memory
  std::uint64_t next = 0;
  std::vector<Pool, Mapped<Pool>> pools;
  std::vector<Event, Mapped<Event>> events;
};

/// Hooks take no argument that could contain it.
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

/// Return whether it does what the last event did, in the same line: that is one access.
bool repeats(const State& its, const Event& event) noexcept {
  if (its.events.empty() || (event.what != What::load && event.what != What::store)) return false;
  const auto& last = its.events.back();
  const auto line = last.place / LINE;
  return last.what == event.what && (last.place + last.size - 1) / LINE == line && event.place / LINE == line &&
         (event.place + event.size - 1) / LINE == line;
}

/// An operation whose events do not fit is an error that `end` reports: a hook cannot leave code that is running.
void keep(State& its, const Event& event) noexcept {
  try {
    if (!its.lost && !repeats(its, event)) its.events.push_back(event);
  } catch (const std::bad_alloc&) {
    its.lost = true;
  }
}

}  // namespace

std::string lacking() { return ""; }

void forget() noexcept { state().next = 0; }
void use_heap(unsigned number) { heap::use(number); }
void leave_heap() noexcept { heap::leave(); }

void begin() noexcept {
  state().events.clear();
  state().lost = false;
  on = true;
}

std::span<const Event> end() {
  auto& its = state();
  on = false;
  if (!its.lost) return its.events;
  const auto kept = its.events.size();
  its.events = {};  // memory for the code that reports it
  throw Unsupported("no memory for more than " + std::to_string(kept) +
                    " recorded accesses of one operation or rehash; give a smaller count=, or raise ulimit -v");
}

void Delays::begin() noexcept {
  delays = this;
  delaying.fetch_add(1, std::memory_order_relaxed);
}

void Delays::end() noexcept {
  delaying.fetch_sub(1, std::memory_order_relaxed);
  delays = nullptr;
}

void note(What what, const void* at, std::size_t size, bool library) noexcept {
  if (delaying.load(std::memory_order_relaxed) > 0 && delays != nullptr) {
    if (what == What::load && size > 0) delays->load(at);
    return;
  }
  if (!on || (size == 0 && what != What::fence)) return;
  auto& its = state();
  const auto place = what == What::fence ? 0 : place_of(its, reinterpret_cast<std::uintptr_t>(at));
  if (place == NOWHERE) return;
  on = false;                                          // what grows the list has hooks of its own
  constexpr std::size_t MOST = std::size_t{1} << 31U;  // of one event; a multiple of a line
  for (std::size_t done = 0; done < size || done == 0; done += MOST)
    keep(its, {place + done, static_cast<std::uint32_t>(std::min(size - done, MOST)), what, library});
  on = true;
}

void opened(const void* pool, std::size_t size) {
  auto& its = state();
  its.pools.push_back({reinterpret_cast<std::uintptr_t>(pool), size, its.next});
  its.next += (size + HUGE - 1) / HUGE * HUGE;
}

bool in_pool(std::uintptr_t at) noexcept {
  return std::ranges::any_of(state().pools, [=](const Pool& one) { return at - one.at < one.size; });
}

void closed(const void* pool) noexcept {
  std::erase_if(state().pools, [=](const Pool& one) { return one.at == reinterpret_cast<std::uintptr_t>(pool); });
}

}  // namespace tierscope::recorded
