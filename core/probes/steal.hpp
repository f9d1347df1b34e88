/// Steal time of one CPU: what the hypervisor took from it, in the kernel's 10 ms steps.
/// Source: Linux, Documentation/filesystems/proc.rst, section 1.7 (/proc/stat).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tierscope {

class StealMeter {
 public:
  explicit StealMeter(unsigned cpu);
  StealMeter(const StealMeter&) = delete;
  StealMeter& operator=(const StealMeter&) = delete;
  ~StealMeter();
  /// Returns the jiffies stolen since boot; 0 if the kernel does not show them. Allocates nothing.
  [[nodiscard]] std::uint64_t read() noexcept;

 private:
  int file_;
  std::string label_;         // "cpu3 "
  std::vector<char> buffer_;  // /proc/stat up to the last CPU
};

}  // namespace tierscope
