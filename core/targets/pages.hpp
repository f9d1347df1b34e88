/// Page sizes: the requested ones, and those that the kernel reports.
/// Source: Linux, Documentation/filesystems/proc.rst (smaps), Documentation/admin-guide/mm/hugetlbpage.rst.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::pages {

/// The pages of a kernel: x86-64 has 4 KiB and 2 MiB, AArch64 with pages of 16 or 64 KiB has 32 or 512 MiB.
struct Sizes {
  std::size_t base = 4096, transparent = std::size_t{2} << 20U;
  std::vector<std::size_t> reserved;  // sizes that can be set aside, smallest first; the kernel's own list
};
/// `base` is that of the system call; the others come from a tree below `root`. If the kernel states no size for
/// transparent pages, it is that of one step of a page table, base * base / 8.
Sizes read(const std::filesystem::path& root, std::size_t base);
/// Return those of this kernel, read once.
const Sizes& sizes();
inline std::size_t base() { return sizes().base; }
inline std::size_t huge() { return sizes().transparent; }

/// Return the bytes of "4k", "64k", "2m", "1g"; 0 for any other text, or if they are not a power of two from 4 KiB on.
std::size_t bytes_of(std::string_view word) noexcept;
/// Return the name of a size: 65536 -> "64k".
std::string word_of(std::size_t bytes);
/// Return a page's bytes; for "thp", the bytes of the expected page. @throws BadPlan, also for pages smaller than base
std::size_t size_of(std::string_view word, const Sizes& sizes = pages::sizes());
/// Return whether the value requests pages that must have been set aside.
bool reserved(std::string_view word, const Sizes& sizes = pages::sizes());
/// Return the free and total huge pages of one size, of one node or (node < 0) of the whole system.
std::size_t free_huge_pages(std::size_t page_bytes, int node);
/// Return page size -> bytes of the range, from /proc/self/smaps. The range must be the only one in its mappings.
std::map<std::size_t, std::size_t> found(std::span<const std::byte> range);
/// Return page size -> bytes, for memory that smaps does not count (DAX), with the range on a boundary of huge(). It
/// drops the page tables, not the bytes, of up to 64 evenly spread parts of huge() bytes. If one touch maps all of a
/// part, its pages are huge. Returns nothing if page tables cannot be dropped. Call it while nobody else writes to the
/// range. Blind to: pages over huge(). Wrong on the page cache, which maps neighbours of a touched page, too. @throws
/// Fault, without the target's name
std::map<std::size_t, std::size_t> by_faults(std::span<std::byte> range);
/// Return whether a flag such as "sf" is among the VmFlags of the mapping that the range starts in, by
/// /proc/self/smaps.
bool has_flag(std::span<const std::byte> range, const std::string& flag);

}  // namespace tierscope::pages
