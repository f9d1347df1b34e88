/// Page sizes: what was asked, and what the kernel says was given.
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
  std::vector<std::size_t> reserved;  // that can be set aside, smallest first; the kernel's own list
};
/// `base` of the system call, the others of a tree below `root`; without a word of the kernel on transparent pages,
/// those of one step of a page table, base * base / 8.
Sizes read(const std::filesystem::path& root, std::size_t base);
/// Those of this kernel, read once.
const Sizes& sizes();
inline std::size_t base() { return sizes().base; }
inline std::size_t huge() { return sizes().transparent; }

/// "4k", "64k", "2m", "1g" -> its bytes; 0 for another word, or no power of two from 4 KiB on.
std::size_t bytes_of(std::string_view word) noexcept;
/// 65536 -> "64k".
std::string word_of(std::size_t bytes);
/// A page's bytes, or "thp" -> bytes of the page that is hoped for. @throws BadPlan, also for pages smaller than base
std::size_t size_of(std::string_view word, const Sizes& sizes = pages::sizes());
/// Whether the word asks for pages that must have been set aside.
bool reserved(std::string_view word, const Sizes& sizes = pages::sizes());
/// Free and total huge pages of one size, of one node or (node < 0) of the whole system.
std::size_t free_huge_pages(std::size_t page_bytes, int node);
/// Page size -> bytes of the range, from /proc/self/smaps. The range must be the only one in its mappings.
std::map<std::size_t, std::size_t> found(std::span<const std::byte> range);
/// Page size -> bytes, of memory that smaps does not count (DAX), range on a boundary of huge(). Of up to 64 parts of
/// huge() bytes, evenly spread, the page tables are dropped, not the bytes; where one touch maps all of a part, its
/// pages are huge. Nothing if page tables cannot be dropped. To be called while nobody else writes to the range. Blind
/// to: pages over huge(). Wrong on the page cache, which maps neighbours of a touched page, too. @throws Fault, without
/// the target's name
std::map<std::size_t, std::size_t> by_faults(std::span<std::byte> range);
/// Whether a word such as "sf" is among the VmFlags of the mapping that the range starts in, by /proc/self/smaps.
bool has_flag(std::span<const std::byte> range, const std::string& flag);

}  // namespace tierscope::pages
