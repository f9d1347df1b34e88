/// libpmem's functions that libpmemobj calls, in the executable, where the dynamic linker finds them first: what is
/// flushed and waited for is noted. The pools here outlive no process, so nothing is flushed in truth, and each
/// mapping counts as persistent memory: libpmemobj then flushes lines instead of calling msync.
/// Copies and sets of 256 bytes or more pass the caches by, as libpmem has it: lines that they fill whole, the rest is
/// stored and flushed. Source: PMDK, libpmem(7), pmem_flush(3), pmem_memmove_persist(3), for the names and the
/// flags.
#include <algorithm>
#include <cstring>

#include "recorded/recorder.hpp"

using namespace tierscope::recorded;

namespace {

constexpr unsigned NODRAIN = 1U << 0U, NONTEMPORAL = 1U << 1U, TEMPORAL = 1U << 2U, WC = 1U << 3U, WB = 1U << 4U,
                   NOFLUSH = 1U << 5U;      // PMEM_F_MEM_*
constexpr std::size_t PASSES_CACHES = 256;  // bytes, unless a flag requests otherwise: PMEM_MOVNT_THRESHOLD
constexpr std::size_t LINE = 64;

void flushed(const void* at, std::size_t size) noexcept { note(What::flush, at, size, true); }
void fenced() noexcept { note(What::fence, nullptr, 0, true); }

void written(const void* at, std::size_t size, unsigned flags) noexcept {
  const auto* const begin = static_cast<const std::byte*>(at);
  const auto ahead = std::min<std::size_t>(size, (LINE - reinterpret_cast<std::uintptr_t>(at) % LINE) % LINE);
  const auto whole = (size - ahead) / LINE * LINE;
  note(What::store, begin, ahead, true);
  flushed(begin, ahead);
  note((flags & (NONTEMPORAL | WC)) != 0 || size >= PASSES_CACHES ? What::store_nt : What::store, begin + ahead, whole,
       true);
  if ((flags & (NONTEMPORAL | WC)) == 0 && size < PASSES_CACHES) flushed(begin + ahead, whole);
  note(What::store, begin + ahead + whole, size - ahead - whole, true);
  flushed(begin + ahead + whole, size - ahead - whole);
}

void stored(const void* at, std::size_t size, unsigned flags) noexcept {
  if ((flags & NOFLUSH) != 0) return note(What::store, at, size, true);
  if ((flags & (TEMPORAL | WB)) != 0) {
    note(What::store, at, size, true);
    flushed(at, size);
  } else {
    written(at, size, flags);
  }
  if ((flags & NODRAIN) == 0) fenced();
}

}  // namespace

extern "C" {

void* __real_memmove(void* to, const void* from, std::size_t size);
void* __real_memset(void* to, int byte, std::size_t size);

int pmem_is_pmem(const void*, std::size_t) { return 1; }
void pmem_flush(const void* at, std::size_t size) { flushed(at, size); }
void pmem_deep_flush(const void* at, std::size_t size) { flushed(at, size); }
void pmem_drain() { fenced(); }
void pmem_persist(const void* at, std::size_t size) {
  flushed(at, size);
  fenced();
}
int pmem_msync(const void* at, std::size_t size) {
  pmem_persist(at, size);
  return 0;
}
void* pmem_memmove(void* to, const void* from, std::size_t size, unsigned flags) {
  note(What::load, from, size, true);
  stored(to, size, flags);
  return __real_memmove(to, from, size);
}
void* pmem_memcpy(void* to, const void* from, std::size_t size, unsigned flags) {
  return pmem_memmove(to, from, size, flags);
}
void* pmem_memset(void* to, int byte, std::size_t size, unsigned flags) {
  stored(to, size, flags);
  return __real_memset(to, byte, size);
}

}  // extern "C"
