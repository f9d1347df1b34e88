/// The recorder if structures are compiled without hooks: it reports where it is.
#include "recorded/delays.hpp"
#include "recorded/recorder.hpp"

namespace tierscope::recorded {

std::string lacking() {
  return "only in tierscope-core-traced, which builds without sanitizers make: run ./tierscope of a checkout again";
}
void forget() noexcept {}
void begin() noexcept {}
void use_heap(unsigned) {}
void leave_heap() noexcept {}
std::span<const Event> end() { return {}; }
void note(What, const void*, std::size_t, bool) noexcept {}
void opened(const void*, std::size_t) {}
void closed(const void*) noexcept {}
bool in_pool(std::uintptr_t) noexcept { return false; }

Delays::Delays(double, std::span<const std::byte>, bool)
    : floor_ticks_(0), read_ticks_(0), late_ticks_(0), owed_ticks_(0), pools_(false) {}
void Delays::settle() noexcept {}
void Delays::begin() noexcept {}
void Delays::end() noexcept {}
void Delays::load(const void*) noexcept {}

}  // namespace tierscope::recorded
