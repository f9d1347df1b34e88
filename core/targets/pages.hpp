/// Page sizes: what was asked, and what the kernel says was given.
/// Source: Linux, Documentation/filesystems/proc.rst (smaps), Documentation/admin-guide/mm/hugetlbpage.rst.
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tierscope::pages {

constexpr std::size_t BASE = 4096;
constexpr std::size_t HUGE = std::size_t{2} << 20U;
constexpr std::size_t GIGANTIC = std::size_t{1} << 30U;

/// "4k", "thp", "2m", "1g" -> bytes of the page that is hoped for. @throws BadPlan
std::size_t size_of(std::string_view word);
/// Free and total huge pages of one size, of one node or (node < 0) of the whole system.
std::size_t free_huge_pages(std::size_t page_bytes, int node);
/// Page size -> bytes of the range, from /proc/self/smaps. The range must be the only one in its mappings.
std::map<std::size_t, std::size_t> found(std::span<const std::byte> range);

}  // namespace tierscope::pages
