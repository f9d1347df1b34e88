/// The place of the next mapping in a device, so that two groups on one device do not write over each other.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::slots {

struct Range {
  std::size_t begin = 0, end = 0;
  constexpr bool operator==(const Range&) const noexcept = default;
};

/// Return the bytes of `path` that a process has mapped, by the text of its /proc/PID/maps, in rising order.
/// Source: Linux, Documentation/filesystems/proc.rst (maps).
std::vector<Range> mapped(std::string_view maps, const std::string& path);
/// Return the first place for `size` bytes at a multiple of `align` outside of those `taken` (in rising order).
std::size_t first_free(const std::vector<Range>& taken, std::size_t size, std::size_t align) noexcept;
/// Return the same for this process: an unmapped place is free again.
std::size_t place(const std::string& path, std::size_t size, std::size_t align);

}  // namespace tierscope::slots
