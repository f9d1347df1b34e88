/// Functions that compilers call before each load and store of code built with -fsanitize=thread, and those that the
/// linker puts in place of the C library's copies (--wrap): here they only record. Source of the names: LLVM,
/// compiler-rt/lib/tsan/rtl/tsan_interface.h; ld(1), --wrap.
#include <cstring>

#include "recorded/recorder.hpp"

using namespace tierscope::recorded;

namespace {

void loads(const void* at, std::size_t size) noexcept { note(What::load, at, size); }
void stores(const void* at, std::size_t size) noexcept { note(What::store, at, size); }
void both(const void* at, std::size_t size) noexcept {
  loads(at, size);
  stores(at, size);
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* at, std::size_t size) { loads(at, size); }
void __tsan_write_range(void* at, std::size_t size) { stores(at, size); }
void __tsan_read1(void* at) { loads(at, 1); }
void __tsan_read2(void* at) { loads(at, 2); }
void __tsan_read4(void* at) { loads(at, 4); }
void __tsan_read8(void* at) { loads(at, 8); }
void __tsan_read16(void* at) { loads(at, 16); }
void __tsan_write1(void* at) { stores(at, 1); }
void __tsan_write2(void* at) { stores(at, 2); }
void __tsan_write4(void* at) { stores(at, 4); }
void __tsan_write8(void* at) { stores(at, 8); }
void __tsan_write16(void* at) { stores(at, 16); }
void __tsan_unaligned_read2(void* at) { loads(at, 2); }
void __tsan_unaligned_read4(void* at) { loads(at, 4); }
void __tsan_unaligned_read8(void* at) { loads(at, 8); }
void __tsan_unaligned_read16(void* at) { loads(at, 16); }
void __tsan_unaligned_write2(void* at) { stores(at, 2); }
void __tsan_unaligned_write4(void* at) { stores(at, 4); }
void __tsan_unaligned_write8(void* at) { stores(at, 8); }
void __tsan_unaligned_write16(void* at) { stores(at, 16); }
void __tsan_read_write1(void* at) { both(at, 1); }
void __tsan_read_write2(void* at) { both(at, 2); }
void __tsan_read_write4(void* at) { both(at, 4); }
void __tsan_read_write8(void* at) { both(at, 8); }
void __tsan_read_write16(void* at) { both(at, 16); }
void __tsan_unaligned_read_write2(void* at) { both(at, 2); }
void __tsan_unaligned_read_write4(void* at) { both(at, 4); }
void __tsan_unaligned_read_write8(void* at) { both(at, 8); }
void __tsan_unaligned_read_write16(void* at) { both(at, 16); }

void* __real_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  loads(from, size);
  stores(to, size);
  return __real_memcpy(to, from, size);
}
void* __real_memmove(void* to, const void* from, std::size_t size);
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  loads(from, size);
  stores(to, size);
  return __real_memmove(to, from, size);
}
void* __real_memset(void* to, int byte, std::size_t size);
void* __wrap_memset(void* to, int byte, std::size_t size) {
  stores(to, size);
  return __real_memset(to, byte, size);
}

// Newer compilers call these in place of the C library's.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) { return __wrap_memcpy(to, from, size); }
void* __tsan_memmove(void* to, const void* from, std::size_t size) { return __wrap_memmove(to, from, size); }
void* __tsan_memset(void* to, int byte, std::size_t size) { return __wrap_memset(to, byte, size); }

}  // extern "C"
