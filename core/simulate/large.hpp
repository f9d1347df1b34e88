/// An allocator of tables that are looked up at random places: in huge pages, a look-up costs no page walk as well.
#pragma once
#include <cstddef>
#include <new>

#include "simulate/huge.hpp"

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
    auto* memory = ::operator new(bytes, std::align_val_t{huge::alignment(bytes)});
    huge::ask(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(static_cast<void*>(memory), std::align_val_t{huge::alignment(count * sizeof(T))});
  }
  friend bool operator==(const Large&, const Large&) noexcept { return true; }
};

}  // namespace tierscope::simulate
