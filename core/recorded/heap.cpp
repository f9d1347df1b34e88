#include "recorded/heap.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"

namespace tierscope::recorded::heap {
namespace {

constexpr unsigned NUMBER = 128;
constexpr std::uintptr_t BYTES = std::uintptr_t{1} << 36U;  // of each: addresses alone
constexpr std::uintptr_t STEP = 16U << 20U;                 // that become memory at the same time, or what is needed
constexpr std::size_t HEADER = 8, GRAIN = 16, LEAST = 32;
constexpr unsigned SMALL = 64;  // sizes in steps of 16 bytes; beyond them, powers of two

struct Free {
  Free* next;
};

struct Heap {
  std::uintptr_t begin = 0, next = 0, ready = 0;  // ready: up to where there is memory
  std::size_t live = 0;
  Free* small[SMALL] = {};
  Free* large[64] = {};
};

// operator new takes no argument for these; of the one thread that executes structures in this process
// (docs/decisions/0017-structures-on-simulated-memory.md).
Heap heaps[NUMBER];
std::uintptr_t first = 0;
std::thread::id owner;              // set by the first `use`
thread_local Heap* used = nullptr;  // what another thread allocates is malloc's

/// The bytes of a block with its header.
std::size_t whole(std::size_t size) noexcept {
  const auto rounded = (size + HEADER + GRAIN - 1) / GRAIN * GRAIN;
  if (rounded <= LEAST) return LEAST;
  if (rounded / GRAIN < SMALL) return rounded;
  return std::size_t{1} << (64U - static_cast<unsigned>(__builtin_clzll(rounded - 1)));
}

Free*& list_of(Heap& heap, std::size_t bytes) noexcept {
  return bytes / GRAIN < SMALL ? heap.small[bytes / GRAIN] : heap.large[__builtin_ctzll(bytes)];
}

/// @throws std::bad_alloc
void grow(Heap& heap, std::uintptr_t end) {
  const auto ready = (end + STEP - 1) / STEP * STEP;
  if (ready > heap.begin + BYTES ||
      mprotect(reinterpret_cast<void*>(heap.ready), ready - heap.ready, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  heap.ready = ready;
}

void* take(Heap& heap, std::size_t size) {
  const auto bytes = whole(size);
  auto*& list = list_of(heap, bytes);
  void* block = list;
  if (list != nullptr) {
    list = list->next;
  } else {
    if (heap.next + GRAIN + bytes > heap.ready) grow(heap, heap.next + GRAIN + bytes);
    block = reinterpret_cast<void*>(heap.next + GRAIN);
    heap.next += bytes;
  }
  static_cast<std::size_t*>(block)[-1] = bytes;
  ++heap.live;
  return block;
}

void give(Heap& heap, void* block) noexcept {
  auto*& list = list_of(heap, static_cast<std::size_t*>(block)[-1]);
  list = new (block) Free{list};
  if (--heap.live > 0) return;
  madvise(reinterpret_cast<void*>(heap.begin), heap.next - heap.begin, MADV_DONTNEED);
  heap = {heap.begin, heap.begin, heap.ready, 0, {}, {}};
}

}  // namespace

void use(unsigned number) {
  if (owner == std::thread::id()) owner = std::this_thread::get_id();
  if (owner != std::this_thread::get_id())
    throw std::logic_error("heaps of recorded structures belong to the thread that used one first");
  auto& heap = heaps[number % NUMBER];
  if (first == 0) {
    void* const at = mmap(nullptr, (NUMBER + 1) * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw SystemError("reserve addresses for the heaps of structures", errno);
    first = (reinterpret_cast<std::uintptr_t>(at) + STEP - 1) / STEP * STEP;
  }
  if (heap.begin == 0) heap.begin = heap.next = heap.ready = first + number % NUMBER * BYTES;
  used = &heap;
}

void leave() noexcept { used = nullptr; }

std::uint64_t place(std::uintptr_t at) noexcept {
  return first != 0 && at - first < NUMBER * BYTES ? at - first : NOWHERE;
}

void* allocate(std::size_t size) {
  if (used != nullptr) return take(*used, size);
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  const auto where = block == nullptr ? NOWHERE : place(reinterpret_cast<std::uintptr_t>(block));
  if (where == NOWHERE) return std::free(block);
  give(heaps[where / BYTES], block);
}

}  // namespace tierscope::recorded::heap

void* operator new(std::size_t size) { return tierscope::recorded::heap::allocate(size); }
void operator delete(void* block) noexcept { tierscope::recorded::heap::release(block); }
void operator delete(void* block, std::size_t) noexcept { tierscope::recorded::heap::release(block); }
