/// libtierscope-shadow.so: intercepts libpmem's public functions and the system's mappings, by LD_PRELOAD. libpmemobj
/// calls libpmem through its public functions, so every program on either works unchanged. Each function does what its
/// name states and then reports it; the plan (shadow/plan.hpp) decides what is reported. Blind to: flush instructions
/// of the program itself, libpmem2 and static linking; none of these pass here. Source of names and flags: PMDK,
/// libpmem(7), pmem_flush(3), pmem_memmove_persist(3); ld.so(8).
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "shadow/memory.hpp"
#include "shadow/witness.hpp"

using namespace tierscope::shadow;

namespace {

constexpr unsigned NODRAIN = 1U << 0U, NOFLUSH = 1U << 5U;  // PMEM_F_MEM_*

/// libpmem's own. The program may have opened it for itself alone, so it is asked for by name.
template <class Function>
Function* next(const char* name) noexcept {
  const Inside inside;
  void* const library = dlopen("libpmem.so.1", RTLD_LAZY);
  void* const found = dlsym(library != nullptr ? library : RTLD_NEXT, name);
  if (found == nullptr) {
    static_cast<void>(std::fprintf(stderr, "tierscope-shadow: libpmem.so.1 has no %s\n", name));
    _exit(70);
  }
  return reinterpret_cast<Function*>(found);
}

Witness& witness() noexcept { return Witness::here(); }

/// After a copy or a set with flags.
void stored(const Inside& inside, const void* at, std::size_t size, unsigned flags) noexcept {
  if (!inside.outermost() || (flags & NOFLUSH) != 0) return;
  witness().flushed(at, size);
  if ((flags & NODRAIN) == 0) witness().fenced();
}

[[gnu::constructor]] void begin() {
  const Inside inside;
  static_cast<void>(witness());
  pthread_atfork([] { witness().before_fork(); }, [] { witness().after_fork(); }, [] { witness().in_child(); });
}
[[gnu::destructor]] void end() { witness().finish(); }

}  // namespace

extern "C" {

void tierscope_shadow_take(Counts* counts) { witness().take(*counts); }

// --- libpmem: flush and fence ---

void pmem_flush(const void* at, std::size_t size) {
  static const auto real = next<void(const void*, std::size_t)>("pmem_flush");
  const Inside inside;
  real(at, size);
  if (inside.outermost()) witness().flushed(at, size);
}

void pmem_deep_flush(const void* at, std::size_t size) {
  static const auto real = next<void(const void*, std::size_t)>("pmem_deep_flush");
  const Inside inside;
  real(at, size);
  if (inside.outermost()) witness().flushed(at, size);
}

void pmem_drain() {
  static const auto real = next<void()>("pmem_drain");
  const Inside inside;
  real();
  if (inside.outermost()) witness().fenced();
}

int pmem_deep_drain(const void* at, std::size_t size) {
  static const auto real = next<int(const void*, std::size_t)>("pmem_deep_drain");
  const Inside inside;
  const int failed = real(at, size);
  if (inside.outermost()) witness().fenced();
  return failed;
}

void pmem_persist(const void* at, std::size_t size) {
  static const auto real = next<void(const void*, std::size_t)>("pmem_persist");
  const Inside inside;
  real(at, size);
  stored(inside, at, size, 0);
}

int pmem_deep_persist(const void* at, std::size_t size) {
  static const auto real = next<int(const void*, std::size_t)>("pmem_deep_persist");
  const Inside inside;
  const int failed = real(at, size);
  stored(inside, at, size, 0);
  return failed;
}

int pmem_msync(const void* at, std::size_t size) {
  static const auto real = next<int(const void*, std::size_t)>("pmem_msync");
  const Inside inside;
  const int failed = real(at, size);
  if (inside.outermost() && failed == 0) witness().synced(at, size);
  return failed;
}

// --- libpmem: copies and sets; those without flags flush, and wait by their name ---

void* pmem_memmove(void* to, const void* from, std::size_t size, unsigned flags) {
  static const auto real = next<void*(void*, const void*, std::size_t, unsigned)>("pmem_memmove");
  const Inside inside;
  real(to, from, size, flags);
  stored(inside, to, size, flags);
  return to;
}

void* pmem_memcpy(void* to, const void* from, std::size_t size, unsigned flags) {
  static const auto real = next<void*(void*, const void*, std::size_t, unsigned)>("pmem_memcpy");
  const Inside inside;
  real(to, from, size, flags);
  stored(inside, to, size, flags);
  return to;
}

void* pmem_memset(void* to, int byte, std::size_t size, unsigned flags) {
  static const auto real = next<void*(void*, int, std::size_t, unsigned)>("pmem_memset");
  const Inside inside;
  real(to, byte, size, flags);
  stored(inside, to, size, flags);
  return to;
}

void* pmem_memmove_persist(void* to, const void* from, std::size_t size) { return pmem_memmove(to, from, size, 0); }
void* pmem_memcpy_persist(void* to, const void* from, std::size_t size) { return pmem_memcpy(to, from, size, 0); }
void* pmem_memset_persist(void* to, int byte, std::size_t size) { return pmem_memset(to, byte, size, 0); }
void* pmem_memmove_nodrain(void* to, const void* from, std::size_t size) {
  return pmem_memmove(to, from, size, NODRAIN);
}
void* pmem_memcpy_nodrain(void* to, const void* from, std::size_t size) { return pmem_memcpy(to, from, size, NODRAIN); }
void* pmem_memset_nodrain(void* to, int byte, std::size_t size) { return pmem_memset(to, byte, size, NODRAIN); }

// --- the system ---

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const Inside inside;
  if ((flags & MAP_FIXED) != 0 && inside.outermost()) witness().changing();
  void* const got = memory::map(at, size, protection, flags, file, offset);
  if (got == MAP_FAILED || !inside.outermost()) return got;
  const int error = errno;
  if ((flags & MAP_FIXED) != 0) witness().unmapped(got, size);
  const int type = flags & MAP_TYPE;
  if (file >= 0 && (type == MAP_SHARED || type == MAP_SHARED_VALIDATE)) witness().mapped(got, size, file, offset);
  errno = error;
  return got;
}
[[gnu::alias("mmap")]] void* mmap64(void* at, std::size_t size, int protection, int flags, int file,
                                    off64_t offset) noexcept;

int munmap(void* at, std::size_t size) noexcept {
  const Inside inside;
  if (inside.outermost()) witness().unmapped(at, size);
  return memory::unmap(at, size);
}

void* mremap(void* at, std::size_t old_size, std::size_t size, int flags, ...) noexcept {
  std::va_list words;
  va_start(words, flags);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start stands above
  void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(words, void*) : nullptr;
  va_end(words);
  const Inside inside;
  if (inside.outermost()) witness().changing();
  void* const got = memory::remap(at, old_size, size, flags, to);
  if (got != MAP_FAILED && inside.outermost()) witness().moved(at, old_size, got, size);
  return got;
}

int mprotect(void* at, std::size_t size, int protection) noexcept {
  const Inside inside;
  if (inside.outermost()) witness().changing();
  return memory::protect(at, size, protection);
}

int msync(void* at, std::size_t size, int flags) {
  const Inside inside;
  const int failed = memory::sync(at, size, flags);
  if (failed == 0 && inside.outermost() && (flags & MS_SYNC) != 0) witness().synced(at, size);
  return failed;
}

int ftruncate(int file, off_t size) noexcept {
  const auto failed = static_cast<int>(syscall(SYS_ftruncate, file, size));
  const Inside inside;
  if (failed == 0 && inside.outermost()) witness().resized();
  return failed;
}
[[gnu::alias("ftruncate")]] int ftruncate64(int file, off64_t size) noexcept;

int truncate(const char* path, off_t size) noexcept {
  const auto failed = static_cast<int>(syscall(SYS_truncate, path, size));
  const Inside inside;
  if (failed == 0 && inside.outermost()) witness().resized();
  return failed;
}
[[gnu::alias("truncate")]] int truncate64(const char* path, off64_t size) noexcept;

int fsync(int file) {
  const auto failed = static_cast<int>(syscall(SYS_fsync, file));
  const Inside inside;
  if (failed == 0 && inside.outermost()) witness().synced_file(file);
  return failed;
}

int fdatasync(int file) {
  const auto failed = static_cast<int>(syscall(SYS_fdatasync, file));
  const Inside inside;
  if (failed == 0 && inside.outermost()) witness().synced_file(file);
  return failed;
}
}
