#include "recorded/delays.hpp"

#include <pthread.h>

#include <cmath>

#include "base/clock.hpp"
#include "recorded/recorder.hpp"

namespace tierscope::recorded {
namespace {

constexpr std::uintptr_t LINE = 64;  // bytes
constexpr double LATE_S = 100e-9;    // a wait that ends later was interrupted, and what follows does not make up for it

}  // namespace

Delays::Delays(double floor_s, std::span<const std::byte> apart, bool pools)
    : floor_ticks_(static_cast<std::uint64_t>(std::ceil(floor_s * Clock::get().hz()))),
      read_ticks_(Clock::get().ticks(Clock::get().read_cost())),
      late_ticks_(Clock::get().ticks(LATE_S)),
      owed_ticks_(read_ticks_),
      apart_{reinterpret_cast<std::uintptr_t>(apart.data()), apart.size()},
      pools_(pools) {}

void Delays::settle() noexcept {
  pthread_attr_t attributes;
  if (pools_ || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) stack_ = {reinterpret_cast<std::uintptr_t>(begin), size};
  pthread_attr_destroy(&attributes);
}

bool Delays::wants(std::uintptr_t at) const noexcept {
  return pools_ ? in_pool(at) : !stack_.has(at) && !apart_.has(at);
}

/// Whether this operation has not loaded it; from now on it has.
bool Delays::first(std::uintptr_t line) noexcept {
  auto& place = (*loaded_)[(line ^ line / PLACES) % PLACES];
  if (place.line == line && place.operation == operation_) return false;
  place = {line, operation_};
  return true;
}

void Delays::load(const void* at) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (!wants(address) || !first(address / LINE)) return;
  ++waits_;
  const Clock& clock = Clock::get();
  const auto due = clock.now() + floor_ticks_ - owed_ticks_;
  static_cast<void>(*static_cast<const volatile std::byte*>(at));
  auto now = clock.now();
  const bool waited = now < due;
  while (now < due) now = clock.now();
  owed_ticks_ = read_ticks_ + (waited && now - due <= late_ticks_ ? now - due : 0);
}

}  // namespace tierscope::recorded
