/// Zeros from a multiple of 64 bytes on. Pages that nobody touches take no memory: a simulated machine has many caches,
/// a run uses few of them.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace tierscope::simulate {

template <class T>
class Zeros {
 public:
  explicit Zeros(std::size_t count) : memory_(std::calloc(1, count * sizeof(T) + 64)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    first_ = reinterpret_cast<T*>((address + 63) / 64 * 64);
  }
  [[nodiscard]] T* at(std::size_t index) const noexcept { return first_ + index; }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* first_;
};

}  // namespace tierscope::simulate
