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
/// Page size -> bytes, of memory that smaps does not count (DAX), range on a 2 MiB boundary. Of up to 64 parts of 2
/// MiB, evenly spread, the page tables are dropped, not the bytes; where one touch maps all of a part, its pages are
/// huge. Nothing if page tables cannot be dropped. To be called while nobody else writes to the range. Blind to: pages
/// over 2 MiB. Wrong on the page cache, which maps neighbours of a touched page, too. @throws Fault, without the
/// target's name
std::map<std::size_t, std::size_t> by_faults(std::span<std::byte> range);
/// Whether a word such as "sf" is among the VmFlags of the mapping that the range starts in, by /proc/self/smaps.
bool has_flag(std::span<const std::byte> range, const std::string& flag);

}  // namespace tierscope::pages
