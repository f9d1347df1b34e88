#include "probes/steal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tierscope {
namespace {
constexpr std::size_t LINE_CHARACTERS = 160;  // ten counters of up to 15 digits
constexpr int STEAL_COLUMN = 8;               // cpuN user nice system idle iowait irq softirq steal
}  // namespace

StealMeter::StealMeter(unsigned cpu)
    : file_(open("/proc/stat", O_RDONLY | O_CLOEXEC)),
      label_("cpu" + std::to_string(cpu) + " "),
      buffer_((cpu + 2) * LINE_CHARACTERS) {}

StealMeter::~StealMeter() {
  if (file_ >= 0) close(file_);
}

std::uint64_t StealMeter::read() noexcept {
  if (file_ < 0) return 0;
  const auto size = pread(file_, buffer_.data(), buffer_.size() - 1, 0);
  if (size <= 0) return 0;
  buffer_[static_cast<std::size_t>(size)] = '\0';
  const std::string_view text(buffer_.data(), static_cast<std::size_t>(size));
  const auto at = text.find(label_);
  if (at == std::string_view::npos) return 0;
  const char* cursor = buffer_.data() + at + label_.size();
  std::uint64_t value = 0;
  for (int column = 1; column <= STEAL_COLUMN; ++column) {
    char* next = nullptr;
    value = std::strtoull(cursor, &next, 10);
    if (next == cursor) return 0;
    cursor = next;
  }
  return value;
}

}  // namespace tierscope
