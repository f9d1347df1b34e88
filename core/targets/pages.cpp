#include "targets/pages.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/fault.hpp"

namespace tierscope::pages {
namespace {

/// The data of one mapping in smaps: huge by AnonHugePages, ShmemPmdMapped, FilePmdMapped or by its own page size.
struct Mapping {
  std::size_t resident = 0, huge = 0, page = base();

  /// "Rss:       1024 kB"; other lines are ignored.
  void read(const std::string& line) {
    std::istringstream words(line);
    std::string key;
    std::size_t kib = 0;
    if (!(words >> key >> kib)) return;
    if (key == "Rss:" || key == "Private_Hugetlb:" || key == "Shared_Hugetlb:") resident += kib * 1024;
    if (key == "AnonHugePages:" || key == "ShmemPmdMapped:" || key == "FilePmdMapped:") huge += kib * 1024;
    if (key == "KernelPageSize:") page = kib * 1024;
  }
  void add_to(std::map<std::size_t, std::size_t>& sizes) const {
    if (huge > 0) sizes[pages::huge()] += huge;
    if (resident > huge) sizes[page] += resident - huge;
  }
};

/// Read the two addresses of "7f00-7f80 rw-p ..."; return nothing for a line of another kind.
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> bounds_in(const std::string& line) {
  std::uintptr_t from = 0, to = 0;
  const char* end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, from, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, to, 16);
  if (second.ec != std::errc{} || second.ptr == end || *second.ptr != ' ') return std::nullopt;
  return std::pair{from, to};
}

constexpr std::size_t SMALLEST = 4096;                // the smallest of any supported kernel
constexpr std::size_t LARGE = std::size_t{2} << 20U;  // from this size on a page is set aside, listed or not
constexpr std::size_t PROBED_PARTS = 64;
constexpr std::size_t TOUCHES = 8;  // of other pages of a part

long page_faults() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

/// Store the present value: pages that were only read would fault again when they are written.
void touch(std::byte& at) noexcept {
  volatile std::byte& byte = at;
  byte = byte;
}

/// Return whether the first touch of a part maps all of it.
bool maps_at_once(std::byte* part) noexcept {
  touch(*part);
  const auto before = page_faults();
  for (std::size_t i = 1; i <= TOUCHES; ++i) touch(part[i * huge() / (TOUCHES + 1) / base() * base()]);
  return page_faults() - before < static_cast<long>(TOUCHES) / 2;
}

/// Return how many of `probed` parts, evenly spread, have huge pages; -1 if page tables cannot be dropped. It has only
/// plain local data, so that a fault may leave it.
long count_huge(std::span<std::byte> range, std::size_t probed) noexcept {
  long huge = 0;
  for (std::size_t i = 0; i < probed; ++i) {
    auto* part = range.data() + i * (range.size() / pages::huge()) / probed * pages::huge();
    if (madvise(part, pages::huge(), MADV_DONTNEED) != 0) return -1;
    huge += maps_at_once(part) ? 1 : 0;
  }
  return huge;
}

}  // namespace

Sizes read(const std::filesystem::path& root, std::size_t base) {
  Sizes found;
  found.base = base;
  found.transparent = base * (base / sizeof(std::uint64_t));  // a table is one page of entries of eight bytes
  const auto mm = root / "sys/kernel/mm";
  std::ifstream file(mm / "transparent_hugepage/hpage_pmd_size");
  if (std::size_t bytes = 0; file >> bytes && bytes > base) found.transparent = bytes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(mm / "hugepages", none)) {
    const auto name = entry.path().filename().string();  // hugepages-2048kB
    std::size_t kib = 0;
    constexpr std::string_view PREFIX = "hugepages-";
    if (name.starts_with(PREFIX)) std::from_chars(name.data() + PREFIX.size(), name.data() + name.size(), kib);
    if (kib > 0) found.reserved.push_back(kib * 1024);
  }
  std::sort(found.reserved.begin(), found.reserved.end());
  return found;
}

const Sizes& sizes() {
  static const Sizes found = read("/", static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  return found;
}

std::size_t bytes_of(std::string_view word) noexcept {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc{} || end + 1 != word.data() + word.size()) return 0;
  const unsigned shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
  const bool known = shift > 0 && std::has_single_bit(count) && count < 1024;
  return known && count << shift >= SMALLEST ? count << shift : 0;
}

std::string word_of(std::size_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30U, 'g'}, {20U, 'm'}})
    if (bytes >> shift > 0 && bytes >> shift << shift == bytes) return std::to_string(bytes >> shift) + unit;
  return std::to_string(bytes >> 10U) + "k";
}

std::size_t size_of(std::string_view word, const Sizes& sizes) {
  if (word == "thp") return sizes.transparent;
  const auto bytes = bytes_of(word);
  if (bytes == sizes.base || (bytes > sizes.base && (bytes >= LARGE || reserved(word, sizes)))) return bytes;
  std::string known = word_of(sizes.base) + ", thp";
  for (const auto size : sizes.reserved) known += ", " + word_of(size);
  if (sizes.reserved.empty()) known += ", " + word_of(sizes.transparent) + ", 1g";
  throw BadPlan("unknown pages '" + std::string(word) + "' (known: " + known + ")");
}

bool reserved(std::string_view word, const Sizes& sizes) {
  const auto bytes = bytes_of(word);
  return bytes > sizes.base && (bytes >= LARGE || std::ranges::count(sizes.reserved, bytes) > 0);
}

std::size_t free_huge_pages(std::size_t page_bytes, int node) {
  const std::string root = node < 0 ? "/sys/kernel/mm" : "/sys/devices/system/node/node" + std::to_string(node);
  std::ifstream file(root + "/hugepages/hugepages-" + std::to_string(page_bytes / 1024) + "kB/free_hugepages");
  std::size_t count = 0;
  return file >> count ? count : 0;
}

/// Return the bytes of each mapping inside the range, added up by page size.
std::map<std::size_t, std::size_t> found(std::span<const std::byte> range) {
  const auto first = reinterpret_cast<std::uintptr_t>(range.data());
  const auto last = first + range.size();
  std::map<std::size_t, std::size_t> sizes;
  std::ifstream smaps("/proc/self/smaps");
  std::optional<Mapping> mapping;  // while inside the range
  for (std::string line; std::getline(smaps, line);) {
    if (const auto bounds = bounds_in(line)) {
      if (mapping) mapping->add_to(sizes);
      mapping.reset();
      if (bounds->first < last && bounds->second > first) mapping.emplace();
    } else if (mapping) {
      mapping->read(line);
    }
  }
  if (mapping) mapping->add_to(sizes);
  return sizes;
}

std::map<std::size_t, std::size_t> by_faults(std::span<std::byte> range) {
  const auto parts = range.size() / pages::huge();
  const auto probed = std::min(parts, PROBED_PARTS);
  long huge = 0;
  fault::listen();
  fault::Watch watch({range});
  if (!watch.run(fault::After::leave, [&] { huge = count_huge(range, probed); }))
    throw Fault(fault::told(watch, range));
  if (huge < 0) return {};
  std::map<std::size_t, std::size_t> sizes;
  const auto bytes = probed == 0 ? 0 : parts * static_cast<std::size_t>(huge) / probed * pages::huge();
  if (bytes > 0) sizes[pages::huge()] = bytes;
  if (range.size() > bytes) sizes[base()] = range.size() - bytes;
  return sizes;
}

bool has_flag(std::span<const std::byte> range, const std::string& flag) {
  const auto first = reinterpret_cast<std::uintptr_t>(range.data());
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (const auto bounds = bounds_in(line)) inside = bounds->first <= first && bounds->second > first;
    if (inside && line.starts_with("VmFlags:")) return (line + " ").find(" " + flag + " ") != std::string::npos;
  }
  return false;
}

}  // namespace tierscope::pages
