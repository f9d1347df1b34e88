/// The functions of glibc whose newest versions would keep the library from older systems: each asks for the oldest
/// version of its name, or does the work by a system call. So the library needs glibc 2.17, whatever it is built on. On
/// such a system threads and the dynamic loader are in libraries of their own, which the linker therefore names.
/// Blind to: functions that nobody called when this was written; packaging/check_wheel.py looks at all symbols.
/// Source: glibc, NEWS for 2.32 to 2.35; ELF symbol versions: U. Drepper, "How To Write Shared Libraries", 2011.
#include <features.h>

#ifdef __GLIBC__
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#define TIERSCOPE_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define TIERSCOPE_OLDEST "GLIBC_2.17"
#elif defined(__riscv)
#define TIERSCOPE_OLDEST "GLIBC_2.27"
#endif

// Names in assembly are those of the symbol: a string of the preprocessor is the only way to write one.
#define TIERSCOPE_OLDER(name) __asm__(".symver older_" #name ", " #name "@" TIERSCOPE_OLDEST)

extern "C" {

#if __GLIBC_PREREQ(2, 38)
unsigned long older_strtoul(const char* text, char** end, int base);
TIERSCOPE_OLDER(strtoul);
/// The C++ library of such a system calls it. The older one does not read binary numbers.
unsigned long __isoc23_strtoul(const char* text, char** end, int base) noexcept {
  return older_strtoul(text, end, base);
}
#endif

#if __GLIBC_PREREQ(2, 34)
void* older_dlopen(const char* name, int mode);
void* older_dlsym(void* library, const char* name);
int older_pthread_once(pthread_once_t* once, void (*routine)());
int older___pthread_key_create(pthread_key_t* key, void (*destroy)(void*));
TIERSCOPE_OLDER(dlopen);
TIERSCOPE_OLDER(dlsym);
TIERSCOPE_OLDER(pthread_once);
TIERSCOPE_OLDER(__pthread_key_create);

void* dlopen(const char* name, int mode) noexcept { return older_dlopen(name, mode); }
/// The caller of the older one is in the same library, as RTLD_NEXT requires.
void* dlsym(void* library, const char* name) noexcept { return older_dlsym(library, name); }
int pthread_once(pthread_once_t* once, void (*routine)()) { return older_pthread_once(once, routine); }
int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  return older___pthread_key_create(key, destroy);
}
#endif

#if __GLIBC_PREREQ(2, 32)
int older_pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before);
TIERSCOPE_OLDER(pthread_sigmask);
int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before) noexcept {
  return older_pthread_sigmask(how, wanted, before);
}
/// The C++ library counts references without atomic instructions where this is not 0.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;
#endif

#if __GLIBC_PREREQ(2, 33)  // before, these were inline; the kernel's struct stat is that of glibc on 64 bits
int stat(const char* path, struct stat* found) noexcept {
  return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, found, 0));
}
int fstat(int file, struct stat* found) noexcept { return static_cast<int>(syscall(SYS_fstat, file, found)); }
int fstat64(int file, struct stat64* found) noexcept { return static_cast<int>(syscall(SYS_fstat, file, found)); }
#endif

#if __GLIBC_PREREQ(2, 35)
/// The answer to the unwinder of exceptions: the object that contains an address, and its table of frames.
int _dl_find_object(void* at, dl_find_object* found) noexcept {
  struct Asked {
    std::uintptr_t at;
    dl_find_object* found;
  } asked{reinterpret_cast<std::uintptr_t>(at), found};
  const auto look = [](dl_phdr_info* object, std::size_t, void* argument) {
    const auto& [wanted, into] = *static_cast<Asked*>(argument);
    std::uintptr_t first = UINTPTR_MAX, last = 0, frames = 0;
    bool inside = false;
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      const auto begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
      if (part.p_type == PT_GNU_EH_FRAME) frames = begin;
      if (part.p_type != PT_LOAD) continue;
      inside = inside || (begin <= wanted && wanted < end);
      first = std::min<std::uintptr_t>(first, begin);
      last = std::max<std::uintptr_t>(last, end);
    }
    if (!inside || frames == 0) return 0;
    *into = {};
    into->dlfo_map_start = reinterpret_cast<void*>(first);
    into->dlfo_map_end = reinterpret_cast<void*>(last);
    into->dlfo_eh_frame = reinterpret_cast<void*>(frames);
    return 1;
  };
  return dl_iterate_phdr(look, &asked) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
#endif
