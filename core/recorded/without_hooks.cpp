/// The recorder if structures are compiled without hooks: it reports where it is.
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

}  // namespace tierscope::recorded
