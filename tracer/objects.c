// SPDX-License-Identifier: GPL-2.0-or-later
/// Loaded into the traced program (LD_PRELOAD): states which call stack allocates which bytes. It speaks to the plug-in
/// by system calls whose numbers no kernel has, which the plug-in sees and QEMU answers with ENOSYS. The plug-in does
/// not trace this code, so the trace is that of the program alone.
///
/// A call stack is walked with the sizes of its frames. The unwinder finds the size of a frame once for each return
/// address; a size that differs later (alloca, variable arrays) makes this address one that is always unwound.
/// Blind to: allocators within the program itself, which are seen as the mappings that they request, and to programs
/// that are linked statically.
/// Source: T. Mytkowicz, D. Coughlin, A. Diwan, "Inferred Call Path Profiling", OOPSLA 2009 (stacks by sizes of
/// frames).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "objects.h"

#define EXPORT __attribute__((visibility("default")))
#define HERE ((uintptr_t)__builtin_frame_address(0) + 16)  // the stack pointer of the caller, before the call

enum { WALKED = 32, KEPT = 8, FRAMES = 1 << 16, SITES = 1 << 16, EARLY_BYTES = 1 << 14 };
enum { UNKNOWN = 0, VARIES = -1, OUTERMOST = -2 };

static __thread bool inside __attribute__((tls_model("initial-exec")));
static __thread uintptr_t top __attribute__((tls_model("initial-exec")));  // the outermost frame that was found

static long call(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f) {
  long answer;
  register uintptr_t r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(answer)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return answer;
}

static void say(const char* text) {
  for (size_t length = strlen(text) + 1, at = 0; at < length;) {
    uintptr_t words[6] = {0};
    const size_t piece = length - at < sizeof words ? length - at : sizeof words;
    memcpy(words, text + at, piece);
    at += piece;
    call(OBJECTS_TEXT, words[0], words[1], words[2], words[3], words[4], words[5]);
  }
}
static void mute(bool on) { call(on ? OBJECTS_MUTE : OBJECTS_UNMUTE, 0, 0, 0, 0, 0, 0); }

static char lock_;
static void lock(void) {
  while (__atomic_test_and_set(&lock_, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
}
static void unlock(void) { __atomic_clear(&lock_, __ATOMIC_RELEASE); }

/// Sizes of frames by return address, in the order in which a hash finds them.
static struct frame {
  uintptr_t ip;
  intptr_t size;
} frames[FRAMES];

static struct frame* frame_of(uintptr_t ip) {
  for (size_t at = ip * 0x9E3779B97F4A7C15u >> 48, tries = 0; tries < 64; ++at, ++tries) {
    struct frame* one = &frames[at % FRAMES];
    if (one->ip == ip || one->ip == 0) return one;
  }
  return 0;
}
static void learn(uintptr_t ip, intptr_t size) {
  lock();
  struct frame* one = frame_of(ip);
  if (one != 0) {
    __atomic_store_n(&one->size, one->ip == ip && one->size != size ? VARIES : size, __ATOMIC_RELEASE);
    __atomic_store_n(&one->ip, ip, __ATOMIC_RELEASE);
  }
  unlock();
}

struct stack {
  uintptr_t begin, ips[WALKED], cfas[WALKED];
  unsigned count;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context* context, void* data) {
  struct stack* stack = data;
  const uintptr_t ip = _Unwind_GetIP(context), cfa = _Unwind_GetCFA(context);
  if (cfa < stack->begin || ip == 0) return _URC_NO_REASON;
  if (stack->count == WALKED) return _URC_END_OF_STACK;
  stack->cfas[stack->count] = cfa;
  stack->ips[stack->count++] = ip;
  return _URC_NO_REASON;
}

static void unwind(struct stack* stack) {
  stack->count = 0;
  mute(true);
  _Unwind_Backtrace(visit, stack);
  mute(false);
  for (unsigned i = 0; i + 1 < stack->count; ++i) learn(stack->ips[i], (intptr_t)(stack->cfas[i + 1] - stack->cfas[i]));
  if (stack->count == 0) return;
  if (stack->count < WALKED) learn(stack->ips[stack->count - 1], OUTERMOST);
  if (stack->cfas[stack->count - 1] > top) top = stack->cfas[stack->count - 1];
}

/// Walk by the sizes that are known; return false where one is not.
static bool walk(struct stack* stack) {
  uintptr_t cfa = stack->begin;
  for (stack->count = 0; stack->count < WALKED;) {
    if (cfa > top) return false;
    const uintptr_t ip = *(const uintptr_t*)(cfa - sizeof ip);
    const struct frame* one = frame_of(ip);
    if (one == 0 || ip == 0 || __atomic_load_n(&one->ip, __ATOMIC_ACQUIRE) != ip) return false;
    const intptr_t size = __atomic_load_n(&one->size, __ATOMIC_ACQUIRE);
    if (size == VARIES) return false;
    stack->ips[stack->count++] = ip;
    if (size == OUTERMOST) return true;
    cfa += (uintptr_t)size;
  }
  return true;
}

/// Keep the innermost KEPT addresses, each once: a recursion of any depth is the same place.
static unsigned without_recursion(const struct stack* stack, uintptr_t* kept) {
  unsigned count = 0;
  for (unsigned i = 0; i < stack->count && count < KEPT; ++i) {
    bool seen = false;
    for (unsigned k = 0; k < count; ++k) seen = seen || kept[k] == stack->ips[i];
    if (!seen) kept[count++] = stack->ips[i];
  }
  return count;
}

static struct site {
  uint64_t hash;
  uint32_t number;
} sites[SITES];
static uint32_t named = OBJECTS_FIRST;

/// Return the number of a place; `fresh`: whether it was not known before. OBJECTS_REST if there are too many.
static uint32_t number_of(uint64_t hash, bool* fresh) {
  uint32_t found = OBJECTS_REST;
  lock();
  for (size_t at = hash >> 48, tries = 0; tries < 64; ++at, ++tries) {
    struct site* one = &sites[at % SITES];
    *fresh = one->hash == 0 && named < OBJECTS_MOST;
    if (*fresh) *one = (struct site){hash, named++};
    if (one->hash != hash) continue;
    found = one->number;
    break;
  }
  unlock();
  return found;
}

static void tell_site(uint32_t number, const uintptr_t* ips, unsigned count) {
  char text[4096];
  int used = snprintf(text, sizeof text, "site %u", number);
  for (unsigned i = 0; i < count; ++i) {
    Dl_info info;
    const uintptr_t before = ips[i] - 1;  // within the call
    if (dladdr((void*)before, &info) == 0 || info.dli_fname == 0) info = (Dl_info){.dli_fname = "?"};
    const Elf64_Ehdr* head = info.dli_fbase;
    const uintptr_t base = head != 0 && head->e_type == ET_EXEC ? 0 : (uintptr_t)head;
    const int more = snprintf(text + used, sizeof text - (size_t)used, "\t%.400s+0x%lx", info.dli_fname, before - base);
    if (more < 0 || used + more >= (int)sizeof text) break;
    used += more;
  }
  text[used] = 0;
  say(text);
}

static uint32_t site_of(uintptr_t cfa) {
  struct stack stack = {.begin = cfa};
  if (!walk(&stack)) unwind(&stack);
  uintptr_t kept[KEPT];
  const unsigned count = without_recursion(&stack, kept);
  uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned i = 0; i < count; ++i) hash = (hash ^ kept[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  bool fresh = false;
  const uint32_t number = number_of(hash | 1, &fresh);
  if (fresh) {
    mute(true);
    tell_site(number, kept, count);
    mute(false);
  }
  return number;
}

static void* allocated(void* at, size_t bytes, uintptr_t cfa) {
  if (at == 0 || at == MAP_FAILED || bytes == 0 || inside) return at;
  const int before = errno;
  inside = true;
  call(OBJECTS_ALLOCATED, (uintptr_t)at, bytes, site_of(cfa), 0, 0, 0);
  inside = false;
  errno = before;
  return at;
}
static void freed(void* at) {
  if (at != 0 && !inside) call(OBJECTS_FREED, (uintptr_t)at, 0, 0, 0, 0, 0);
}

/// Static data of a module that can be written, and where the code of this library is.
static int tell_module(struct dl_phdr_info* module, size_t size, void* data) {
  (void)size, (void)data;
  bool own = false;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &module->dlpi_phdr[i];
    const uintptr_t begin = module->dlpi_addr + part->p_vaddr, here = (uintptr_t)tell_module;
    if (part->p_type == PT_LOAD && here >= begin && here < begin + part->p_memsz) {
      call(OBJECTS_CODE, begin, begin + part->p_memsz, 0, 0, 0, 0);
      own = true;  // its data come behind its code
    }
    if (own || part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0 || named >= OBJECTS_MOST) continue;
    char text[512];
    const uint32_t number = named++;
    snprintf(text, sizeof text, "data %u\t%.400s", number, module->dlpi_name);
    say(text);
    call(OBJECTS_ALLOCATED, begin, part->p_memsz, number, 0, 0, 0);
  }
  return 0;
}

/// The program and its children must not see that they are traced.
static void leave_no_trace(void) {
  const char* others = getenv("_TIERSCOPE_PRELOAD");
  if (others != 0 && *others != 0)
    setenv("LD_PRELOAD", others, 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv("_TIERSCOPE_PRELOAD");
}

__attribute__((constructor(101))) static void start(void) {
  inside = true;
  mute(true);
  leave_no_trace();
  dl_iterate_phdr(tell_module, 0);
  mute(false);
  inside = false;
}

/// The next definition of each function. dlsym may allocate before they are known: a few bytes come from `early`.
static struct {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  void* (*memalign)(size_t, size_t);
  void* (*mmap)(void*, size_t, int, int, int, off_t);
  int (*munmap)(void*, size_t);
  void* (*mremap)(void*, size_t, size_t, int, void*);
} real;
static _Alignas(64) char early[EARLY_BYTES];
static size_t early_used;
static __thread bool finding __attribute__((tls_model("initial-exec")));

static void* early_bytes(size_t bytes) {
  const size_t at = __atomic_fetch_add(&early_used, (bytes + 63) & ~(size_t)63, __ATOMIC_RELAXED);
  return at + bytes <= sizeof early ? early + at : 0;
}
static bool is_early(const void* at) { return (const char*)at >= early && (const char*)at < early + sizeof early; }

static bool find(void) {
  if (__atomic_load_n(&real.free, __ATOMIC_ACQUIRE) != 0) return true;
  if (finding) return false;
  finding = true;
  mute(true);
  real.malloc = dlsym(RTLD_NEXT, "malloc");
  real.calloc = dlsym(RTLD_NEXT, "calloc");
  real.realloc = dlsym(RTLD_NEXT, "realloc");
  real.memalign = dlsym(RTLD_NEXT, "memalign");
  real.mmap = dlsym(RTLD_NEXT, "mmap");
  real.munmap = dlsym(RTLD_NEXT, "munmap");
  real.mremap = dlsym(RTLD_NEXT, "mremap");
  __atomic_store_n(&real.free, dlsym(RTLD_NEXT, "free"), __ATOMIC_RELEASE);
  mute(false);
  finding = false;
  return true;
}

EXPORT void* malloc(size_t bytes) {
  if (!find()) return early_bytes(bytes);
  return allocated(real.malloc(bytes), bytes, HERE);
}
EXPORT void* calloc(size_t count, size_t bytes) {
  if (!find()) return early_bytes(count * bytes);  // zeros, as nothing is used twice
  return allocated(real.calloc(count, bytes), count * bytes, HERE);
}
EXPORT void free(void* at) {
  if (at == 0 || is_early(at) || !find()) return;
  freed(at);
  real.free(at);
}

static void* moved(void* at, size_t bytes, uintptr_t cfa) {
  if (!find()) return early_bytes(bytes);
  if (is_early(at)) {
    void* to = real.malloc(bytes);
    const size_t left = (size_t)(early + sizeof early - (char*)at);
    if (to != 0) memcpy(to, at, bytes < left ? bytes : left);
    return allocated(to, bytes, cfa);
  }
  freed(at);  // before another thread can get these bytes; if this fails, they have no owner any more
  return allocated(real.realloc(at, bytes), bytes, cfa);
}
EXPORT void* realloc(void* at, size_t bytes) { return moved(at, bytes, HERE); }
EXPORT void* reallocarray(void* at, size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return 0;
  }
  return moved(at, all, HERE);
}

static void* aligned(size_t alignment, size_t bytes, uintptr_t cfa) {
  if (!find()) return early_bytes(bytes);
  return allocated(real.memalign(alignment, bytes), bytes, cfa);
}
EXPORT void* memalign(size_t alignment, size_t bytes) { return aligned(alignment, bytes, HERE); }
EXPORT void* aligned_alloc(size_t alignment, size_t bytes) { return aligned(alignment, bytes, HERE); }
EXPORT void* valloc(size_t bytes) { return aligned((size_t)sysconf(_SC_PAGESIZE), bytes, HERE); }
EXPORT int posix_memalign(void** to, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* at = aligned(alignment, bytes, HERE);
  if (at == 0) return ENOMEM;
  *to = at;
  return 0;
}

EXPORT void* mmap(void* at, size_t bytes, int access, int flags, int file, off_t offset) {
  find();
  return allocated(real.mmap(at, bytes, access, flags, file, offset), bytes, HERE);
}
EXPORT void* mmap64(void* at, size_t bytes, int access, int flags, int file, off_t offset) {
  find();
  return allocated(real.mmap(at, bytes, access, flags, file, offset), bytes, HERE);
}
EXPORT int munmap(void* at, size_t bytes) {
  find();
  freed(at);
  return real.munmap(at, bytes);
}
EXPORT void* mremap(void* at, size_t old, size_t bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void* to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : 0;
  va_end(more);
  find();
  freed(at);
  return allocated(real.mremap(at, old, bytes, flags, to), bytes, HERE);
}
