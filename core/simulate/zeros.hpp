/// Memory of zeros. Pages that nobody touches take no memory: a simulated machine has many caches, a run uses few of
/// them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "simulate/huge.hpp"

namespace tierscope::simulate {

template <class T>
class Zeros {
 public:
  explicit Zeros(std::size_t count) {
    const std::size_t bytes = count * sizeof(T), grain = huge::alignment(bytes);
    memory_.reset(std::calloc(1, bytes + grain));
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    first_ = reinterpret_cast<T*>((address + grain - 1) / grain * grain);
    huge::ask(first_, bytes);
  }
  [[nodiscard]] T* at(std::size_t index) const noexcept { return first_ + index; }
  /// Take the first `count` values of another one. Equal pieces are only read, so that zeros still take no memory.
  void copy(const Zeros& from, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; i += PIECE) {
      const auto bytes = std::min(PIECE, count - i) * sizeof(T);
      if (std::memcmp(at(i), from.at(i), bytes) != 0) std::memcpy(at(i), from.at(i), bytes);
    }
  }

 private:
  static constexpr std::size_t PIECE = 4096 / sizeof(T);
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* first_ = nullptr;
};

}  // namespace tierscope::simulate
