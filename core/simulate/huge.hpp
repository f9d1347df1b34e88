/// Where tables of a simulated machine begin in the host's memory: at a line of the host's cache, and at a huge page if
/// they are large, since their entries are used far apart.
#pragma once
#include <sys/mman.h>

#include <cstddef>

namespace tierscope::simulate::huge {

constexpr std::size_t LINE_OF_HOST = 64, PAGE = std::size_t{1} << 21U;

/// Return the number that the address of a table of these bytes is a multiple of.
constexpr std::size_t alignment(std::size_t bytes) noexcept { return bytes < PAGE ? LINE_OF_HOST : PAGE; }

/// Ask for huge pages where the table fills some; a kernel without them refuses.
inline void ask(void* first, std::size_t bytes) noexcept {
  if (bytes >= PAGE) ::madvise(first, bytes / PAGE * PAGE, MADV_HUGEPAGE);
}

}  // namespace tierscope::simulate::huge
