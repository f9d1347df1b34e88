/// An allocator of tables that are looked up at random places. They begin at a line of the host's cache, and at a huge
/// page if they are large, so that a look-up costs no page walk as well.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace tierscope::simulate {

template <class T>
class Large {
 public:
  using value_type = T;
  Large() noexcept = default;
  template <class U>
  explicit Large(const Large<U>&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    auto* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= PAGE) ::madvise(memory, bytes / PAGE * PAGE, MADV_HUGEPAGE);  // a kernel without them refuses
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(static_cast<void*>(memory), alignment(count * sizeof(T)));
  }
  friend bool operator==(const Large&, const Large&) noexcept { return true; }

 private:
  static constexpr std::size_t LINE_OF_HOST = 64, PAGE = std::size_t{1} << 21U;
  static constexpr std::align_val_t alignment(std::size_t bytes) noexcept {
    return static_cast<std::align_val_t>(bytes < PAGE ? LINE_OF_HOST : PAGE);
  }
};

}  // namespace tierscope::simulate
