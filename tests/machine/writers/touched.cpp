#include "touched.hpp"

#include <libpmemobj.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

constexpr std::uintptr_t LINE = 64;
std::uintptr_t first_ = 0, last_ = 0;
bool counts = false;
std::array<std::uintptr_t, std::size_t{1} << 20U> lines;  // fixed: what grows it would be counted
std::size_t noted = 0;

void touch(const void* at, std::size_t size_bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(at);
  if (!counts || size_bytes == 0 || from < first_ || from >= last_) return;
  for (auto line = from / LINE; line <= (from + size_bytes - 1) / LINE; ++line) lines.at(noted++) = line;
}

template <class T>
T* behind(PMEMoid object, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<std::byte*>(pmemobj_direct(object)) + offset);
}

/// As libpmemobj has them: circular, and a lock of 8 bytes and a pthread_mutex_t in each head.
struct Links {
  PMEMoid next, prev;
};
struct Head {
  PMEMoid first;
  std::uint64_t run;
  pthread_mutex_t mutex;
};

}  // namespace

namespace touched {

void within(const void* first, const void* last) {
  first_ = reinterpret_cast<std::uintptr_t>(first);
  last_ = reinterpret_cast<std::uintptr_t>(last);
}
void begin() {
  noted = 0;
  counts = true;
}
void note(const void* at, std::size_t size_bytes) { touch(at, size_bytes); }
std::size_t end() {
  counts = false;
  std::sort(lines.begin(), lines.begin() + noted);
  return static_cast<std::size_t>(std::unique(lines.begin(), lines.begin() + noted) - lines.begin());
}

}  // namespace touched

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* at, std::size_t size) { touch(at, size); }
void __tsan_write_range(void* at, std::size_t size) { touch(at, size); }
#define TOUCHED(size)                                              \
  void __tsan_read##size(void* at) { touch(at, size); }            \
  void __tsan_write##size(void* at) { touch(at, size); }           \
  void __tsan_unaligned_read##size(void* at) { touch(at, size); }  \
  void __tsan_unaligned_write##size(void* at) { touch(at, size); } \
  void __tsan_read_write##size(void* at) { touch(at, size); }      \
  void __tsan_unaligned_read_write##size(void* at) { touch(at, size); }
TOUCHED(1)
TOUCHED(2)
TOUCHED(4)
TOUCHED(8)
TOUCHED(16)

void* __real_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  touch(to, size);
  touch(from, size);
  return __real_memcpy(to, from, size);
}
void* __real_memmove(void* to, const void* from, std::size_t size);
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  touch(to, size);
  touch(from, size);
  return __real_memmove(to, from, size);
}

int __real_pmemobj_tx_xadd_range_direct(const void* at, std::size_t size, std::uint64_t flags);
int __wrap_pmemobj_tx_xadd_range_direct(const void* at, std::size_t size, std::uint64_t flags) {
  touch(at, size);
  return __real_pmemobj_tx_xadd_range_direct(at, size, flags);
}

PMEMoid __real_pmemobj_tx_xalloc(std::size_t size, std::uint64_t type, std::uint64_t flags);
PMEMoid __wrap_pmemobj_tx_xalloc(std::size_t size, std::uint64_t type, std::uint64_t flags) {
  const auto made = __real_pmemobj_tx_xalloc(size, type, flags);
  if ((flags & POBJ_XALLOC_ZERO) != 0) touch(pmemobj_direct(made), size);
  return made;
}

void __real_pmemobj_set_value(PMEMobjpool* pool, pobj_action* action, std::uint64_t* at, std::uint64_t value);
void __wrap_pmemobj_set_value(PMEMobjpool* pool, pobj_action* action, std::uint64_t* at, std::uint64_t value) {
  touch(at, sizeof *at);
  __real_pmemobj_set_value(pool, action, at, value);
}

void* __real_pmemobj_memcpy_persist(PMEMobjpool* pool, void* to, const void* from, std::size_t size);
void* __wrap_pmemobj_memcpy_persist(PMEMobjpool* pool, void* to, const void* from, std::size_t size) {
  touch(to, size);
  return __real_pmemobj_memcpy_persist(pool, to, from, size);
}

PMEMoid __real_pmemobj_list_insert_new(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid beside, int before,
                                       std::size_t size, std::uint64_t type, pmemobj_constr make, void* argument);
PMEMoid __wrap_pmemobj_list_insert_new(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid beside, int before,
                                       std::size_t size, std::uint64_t type, pmemobj_constr make, void* argument) {
  touch(head, sizeof(Head));
  const auto first = static_cast<Head*>(head)->first;
  if (!OID_IS_NULL(first)) {
    const auto* its = behind<Links>(first, links);
    touch(&its->prev, sizeof its->prev);
    touch(&behind<Links>(its->prev, links)->next, sizeof its->next);
  }
  return __real_pmemobj_list_insert_new(pool, links, head, beside, before, size, type, make, argument);
}

int __real_pmemobj_list_remove(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid object, int frees);
int __wrap_pmemobj_list_remove(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid object, int frees) {
  touch(head, sizeof(Head));
  const auto* its = behind<Links>(object, links);
  touch(its, sizeof *its);
  touch(&behind<Links>(its->prev, links)->next, sizeof its->next);
  touch(&behind<Links>(its->next, links)->prev, sizeof its->prev);
  return __real_pmemobj_list_remove(pool, links, head, object, frees);
}

}  // extern "C"
