/// The system calls that the preloaded library intercepts, by their numbers: its own mappings bypass it, and memory can
/// be requested from it before the dynamic loader has bound anything.
#pragma once
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

// NOLINTBEGIN(performance-no-int-to-ptr): syscall returns addresses as numbers

namespace tierscope::shadow::memory {

inline void* map(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
inline int unmap(void* at, std::size_t size) noexcept { return static_cast<int>(syscall(SYS_munmap, at, size)); }
inline void* remap(void* at, std::size_t old_size, std::size_t size, int flags, void* to) noexcept {
  return reinterpret_cast<void*>(syscall(SYS_mremap, at, old_size, size, flags, to));
}
inline int protect(void* at, std::size_t size, int protection) noexcept {
  return static_cast<int>(syscall(SYS_mprotect, at, size, protection));
}
inline int sync(void* at, std::size_t size, int flags) noexcept {
  return static_cast<int>(syscall(SYS_msync, at, size, flags));
}

}  // namespace tierscope::shadow::memory

// NOLINTEND(performance-no-int-to-ptr)
